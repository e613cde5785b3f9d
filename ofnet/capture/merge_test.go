// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"github.com/contiv/contiv/ofnet/capture"
)

// taken is a capture of frames, as Write writes it.
func taken(tb testing.TB, comment string, all ...[]byte) []byte {
	tb.Helper()
	var file bytes.Buffer
	src := &source{frames: all, again: true, closed: make(chan struct{})}
	err := capture.Write(tb.Context(), src, capture.Interface("vv0", comment), capture.Filter{}, capture.Limits{Packets: len(all), Bytes: 1 << 20, For: time.Hour},
		&file, func() error { return nil })
	if err != nil {
		tb.Fatal(err)
	}
	return file.Bytes()
}

// far is the far end of a stream, which counts how often it was closed.
type far struct {
	io.Reader
	closed func()
}

func (f far) Close() error {
	f.closed()
	return nil
}

func open(tb testing.TB, file io.Reader, closed func()) *capture.Stream {
	tb.Helper()
	s, err := capture.Open(far{file, closed})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func nothing() error { return nil }

func TestJoin(t *testing.T) {
	all := frames(t)
	closed := 0
	web := open(t, bytes.NewReader(taken(t, "endpoint web on host h1", all["tcp"], all["udp"])), func() { closed++ })
	db := open(t, bytes.NewReader(taken(t, "endpoint db on host h2", all["icmp"])), func() { closed++ })
	if web.At != "endpoint web on host h1" || db.At != "endpoint db on host h2" {
		t.Errorf("want the places of the captures, got %q and %q", web.At, db.At)
	}
	var file bytes.Buffer
	if err := capture.Join(&file, nothing, web, db); err != nil || closed != 2 {
		t.Errorf("want both streams closed, got %d closed, %v", closed, err)
	}
	r, err := pcapgo.NewNgReader(&file, pcapgo.NgReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for {
		data, ci, err := r.ReadPacketData()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		at, err := r.Interface(ci.InterfaceIndex)
		if err != nil || !ci.Timestamp.Equal(time.Unix(1, 0)) {
			t.Fatalf("want an interface, and the time of the packet, got %v, %v", ci.Timestamp, err)
		}
		got[at.Comment+" "+string(data)]++
	}
	for _, want := range []string{"endpoint web on host h1 " + string(all["tcp"]), "endpoint web on host h1 " + string(all["udp"]), "endpoint db on host h2 " + string(all["icmp"])} {
		if got[want] != 1 || len(got) != 3 {
			t.Errorf("want %q once, and two others, got %v", want, got)
		}
	}
}

func TestLines(t *testing.T) {
	all := frames(t)
	web := open(t, bytes.NewReader(taken(t, "endpoint web on host h1", all["tcp"])), func() {})
	db := open(t, bytes.NewReader(taken(t, "endpoint db on host h2", all["arp"])), func() {})
	var text bytes.Buffer
	if err := capture.Lines(&text, nothing, web, db); err != nil {
		t.Fatal(err)
	}
	got := strings.SplitAfter(text.String(), "\n")
	slices.Sort(got)
	want := []string{"", "00:00:01.000000 endpoint db on host h2: 10.1.1.1 > 10.1.1.9 ARP request, 60 bytes\n",
		"00:00:01.000000 endpoint web on host h1: 10.1.1.1:4000 > 10.1.1.2:80 TCP SYN, 60 bytes\n"}
	if !slices.Equal(got, want) {
		t.Errorf("want %q, got %q", want, got)
	}
}

// The packets before the end of a broken stream are there, as are all of the other stream, and the error names the broken one.
func TestJoinBreaksOff(t *testing.T) {
	all := frames(t)
	web := taken(t, "endpoint web on host h1", all["tcp"], all["udp"])
	var text bytes.Buffer
	err := capture.Lines(&text, nothing, open(t, bytes.NewReader(web[:len(web)-7]), func() {}),
		open(t, bytes.NewReader(taken(t, "endpoint db on host h2", all["icmp"])), func() {}))
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(err.Error(), "endpoint web on host h1: the capture broke off") {
		t.Errorf("want the end of web to be unexpected, got %v", err)
	}
	if got := text.String(); !strings.Contains(got, "TCP") || strings.Contains(got, "UDP") || !strings.Contains(got, "EchoRequest") {
		t.Errorf("want web's first packet and db's, got %q", got)
	}
}

// When no one reads any more, streams end that would continue for ever.
func TestJoinFails(t *testing.T) {
	away := errors.New("away")
	var streams []*capture.Stream
	for range 2 {
		out, in := io.Pipe()
		var once sync.Once
		file := taken(t, "endpoint web on host h1", frames(t)["tcp"])
		go func() { _, _ = in.Write(file) }()
		streams = append(streams, open(t, out, func() { once.Do(func() { _ = out.Close() }) }))
	}
	flushed := 0
	err := capture.Join(io.Discard, func() error {
		if flushed++; flushed > 1 {
			return away
		}
		return nil
	}, streams...)
	if !errors.Is(err, away) {
		t.Errorf("want the error of flush, got %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	good := taken(t, "x", frames(t)["tcp"])
	changed := func(at int, to byte) []byte {
		out := bytes.Clone(good)
		out[at] = to
		return out
	}
	resolution := bytes.LastIndex(good, []byte{9, 0, 1, 0, 9})
	for name, file := range map[string][]byte{"empty": nil, "only the head": good[:40], "text": []byte("HTTP/1.1 400 Bad Request and more"), "other byte order": changed(8, 0x1a),
		"microseconds": changed(resolution+4, 6), "no interface": append(bytes.Clone(good[:40]), good[:40]...), "huge": changed(6, 0xff), "odd": changed(4, 3)} {
		if s, err := capture.Open(far{bytes.NewReader(file), func() {}}); err == nil {
			t.Errorf("%s: want an error, got a stream of %q", name, s.At)
		}
	}
}

// Lines are lines of whole packets, and files can be read, whatever an agent sends.
func FuzzOpen(f *testing.F) {
	whole := taken(f, "endpoint web on host h1", frames(f)["tcp"], frames(f)["arp"])
	f.Add(whole)
	f.Add(whole[:len(whole)-9])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := capture.Open(far{bytes.NewReader(file), func() {}})
		if err != nil {
			return
		}
		var lines, joined bytes.Buffer
		broken := capture.Lines(&lines, nothing, s)
		if s, err = capture.Open(far{bytes.NewReader(file), func() {}}); err != nil {
			t.Fatalf("opened once, and not again: %v", err)
		}
		if err := capture.Join(&joined, nothing, s); (err == nil) != (broken == nil) {
			t.Errorf("lines: %v, file: %v", broken, err)
		}
		again, err := capture.Open(far{&joined, func() {}})
		if err != nil {
			t.Fatalf("what was joined cannot be read: %v", err)
		}
		var copied bytes.Buffer
		if err := capture.Lines(&copied, nothing, again); err != nil || copied.String() != lines.String() {
			t.Errorf("want the same lines of what was joined, got %q and %q, %v", lines.String(), copied.String(), err)
		}
	})
}
