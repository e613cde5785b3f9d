// SPDX-License-Identifier: Apache-2.0

package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

var began = time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)

// inputs is one of every sort.
func inputs() []feed.Input {
	at := func(n int) time.Time { return began.Add(time.Duration(n) * time.Second) }
	return []feed.Input{
		{At: at(0), Event: &model.Event{Type: model.EventFull, Kind: "tenant", Items: []json.RawMessage{[]byte(`{"tenantName":"acme"}`)}, Revision: 3}},
		{At: at(1), Nodes: &feed.NodesInput{List: []model.Node{{Name: "h1", Role: model.RoleAgent}}}},
		{At: at(2), Pool: &feed.PoolInput{Key: "acme:blue", Pool: feed.Pool{Count: 2, At: at(2)}}},
		{At: at(3), Answer: &feed.AnswerInput{Question: feed.Question{Topic: feed.Leadership}, Value: model.Leadership{Holder: "x", Term: 4}}},
		{At: at(4), Answer: &feed.AnswerInput{Question: feed.Question{Topic: feed.Flows, Host: "h1"}, Err: "silent"}},
		{At: at(5), Failure: &feed.Failure{Err: "refused", Stream: true}},
		{At: at(6), Description: &feed.Description{Kind: "tenant", Key: "acme", Text: "tenantName: acme\n"}},
	}
}

// record writes a recording and returns its bytes.
func record(t testing.TB, limit int64, all []feed.Input) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r")
	w, err := Create(path, limit, Header{Program: "test", Base: "http://m"})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range all {
		w.Put(in)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func zipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.Bytes()
}

// A written recording is read back with the same types.
func TestRoundTrip(t *testing.T) {
	r, err := Read(bytes.NewReader(record(t, 1<<20, inputs())))
	if err != nil {
		t.Fatal(err)
	}
	if r.Header.Base != "http://m" || r.Header.Version != Version || r.Warning != "" {
		t.Errorf("header: got %+v, note %q", r.Header, r.Warning)
	}
	want, got := inputs(), r.Inputs
	if len(got) != len(want) {
		t.Fatalf("want %d inputs, got %d", len(want), len(got))
	}
	for i := range want {
		a, _ := json.Marshal(want[i])
		b, _ := json.Marshal(got[i])
		if string(a) != string(b) {
			t.Errorf("input %d: want %s, got %s", i, a, b)
		}
	}
	if _, ok := got[3].Answer.Value.(model.Leadership); !ok {
		t.Errorf("want a Leadership, got %T", got[3].Answer.Value)
	}
}

// The error of a file that is no recording, or an incomplete one, is in words.
func TestRefusals(t *testing.T) {
	whole := record(t, 1<<20, inputs())
	head := `{"format":"contiv console recording","version":1}` + "\n"
	broken := bytes.Clone(whole)
	for i := len(broken) / 2; i < len(broken)/2+20; i++ {
		broken[i] ^= 0x55
	}
	tests := []struct {
		name string
		file []byte
		want string
	}{
		{"nothing", nil, "not a recording"},
		{"a text", []byte("hello\n"), "not compressed with gzip"},
		{"another gzip file", zipped("hello\nworld\n"), "its first line differs"},
		{"a long line", zipped(strings.Repeat("x", 1<<20)), "its first line differs"},
		{"a newer format", zipped(`{"format":"contiv console recording","version":9,"program":"console/9"}` + "\n"), "format version 9"},
		{"no inputs", zipped(head), "the recording is empty"},
		{"cut off in the head", whole[:12], "truncated: it has no entries"},
		{"damaged", broken, "damaged"},
		{"no JSON", zipped(head + "{\n"), "entry 1"},
		{"an unknown topic", zipped(head + `{"at":"2030-01-02T03:04:05Z","answer":{"question":{"topic":"weather"}}}` + "\n"), "unknown topic \"weather\""},
		{"an answer of another type", zipped(head + `{"at":"2030-01-02T03:04:05Z","answer":{"question":{"topic":"flows"},"value":7}}` + "\n"), "entry 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r, err := Read(bytes.NewReader(tt.file)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("want an error with %q, got %v, %v", tt.want, r, err)
			}
		})
	}
}

// A recording whose end is missing is read as far as it goes.
func TestCutOff(t *testing.T) {
	text := zipped(`{"format":"contiv console recording","version":1}` + "\n" + `{"at":"2030-01-02T03:04:05Z"}` + "\n" + `{"at":"2030-`)
	if r, err := Read(bytes.NewReader(text)); err != nil || len(r.Inputs) != 1 || !strings.Contains(r.Warning, "truncated") {
		t.Errorf("half a line: got %+v, %v", r, err)
	}
	whole := record(t, 1<<20, inputs())
	if r, err := Read(bytes.NewReader(whole[:len(whole)-9])); err != nil || len(r.Inputs) == 0 || !strings.Contains(r.Warning, "truncated") {
		t.Errorf("half a block: got %+v, %v", r, err)
	}
}

// What a process that is killed has written is readable: a recording that no one closed.
func TestCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	w, err := Create(path, 1<<20, Header{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	for _, in := range inputs() {
		w.Put(in)
	}
	for t.Context().Err() == nil { // until it is on the disk; go test ends what takes too long
		if r, err := Open(path); err == nil && len(r.Inputs) == len(inputs()) {
			if r.Warning == "" {
				t.Error("want the note that the end is missing")
			}
			break
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestLimit(t *testing.T) {
	var many []feed.Input
	for i := range 20000 {
		many = append(many, feed.Input{At: began.Add(time.Duration(i) * time.Second), Failure: &feed.Failure{Err: fmt.Sprint(i * 7919 % 65537)}})
	}
	text := record(t, 64<<10, many)
	r, err := Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 128<<10 || len(r.Inputs) == 0 || len(r.Inputs) == len(many) || !strings.Contains(r.Warning, "limit") {
		t.Errorf("want about 64 KiB and the note, got %d bytes, %d inputs, note %q", len(text), len(r.Inputs), r.Warning)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Create(path, 1, Header{}); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("want a refusal, got %v", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("the file was changed: %q", text)
	}
}

// A disk that is full ends the recording, not the console.
func TestDiskFull(t *testing.T) {
	w := &Writer{limit: 1 << 20, inputs: make(chan feed.Input, waiting), ended: make(chan struct{})}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.file = full
	w.zip = gzip.NewWriter(counter{w})
	go w.run()
	for _, in := range inputs() {
		w.Put(in)
	}
	if err := w.Close(); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("want the error of the disk, got %v", err)
	}
	w.Put(inputs()[0]) // and it takes nothing more
}

// Reading it ends, and what is read can be played, whatever the file holds.
func FuzzRead(f *testing.F) {
	for _, in := range inputs() {
		text, err := json.Marshal(in)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text)+"\n", false)
	}
	f.Add("{\"at\":\"2030-01-02T03:04:05Z\",\"event\":{\"type\":\"full\",\"kind\":\"endpoint\",\"items\":[null,{},7]}}\n", false)
	f.Add(string(record(f, 1<<20, inputs())), true)
	f.Fuzz(func(t *testing.T, text string, raw bool) {
		file := []byte(text)
		if !raw {
			file = zipped(`{"format":"contiv console recording","version":1}` + "\n" + text)
		}
		r, err := Read(bytes.NewReader(file))
		if err != nil {
			return
		}
		p, err := feed.NewPlayer(r.Header.Base, r.Inputs)
		if err != nil {
			t.Fatal(err)
		}
		p.Seek(p.End())
		p.Seek(p.Begin())
	})
}
