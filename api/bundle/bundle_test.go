// SPDX-License-Identifier: Apache-2.0

package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

var made = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// whole returns a bundle of two files.
func whole(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, made)
	for _, name := range []string{"nodes.json", OfHost("h/1", "log.txt")} {
		if err := w.Add(name, "GET /x", []byte("[]\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(Manifest{By: "ann", Missing: []Missing{{Of: "host h2", Why: "silent"}, {Of: "host h1", What: "bgp.json", Why: "none"}}}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A written bundle can be read, with its index.
func TestRoundTrip(t *testing.T) {
	b, err := Read(bytes.NewReader(whole(t)))
	if err != nil {
		t.Fatal(err)
	}
	text, ok := b.File("hosts/h%2F1/log.txt")
	if m := &b.Manifest; !ok || string(text) != "[]\n" || m.By != "ann" || !m.Made.Equal(made) || m.Format != Format || len(m.Files) != 2 {
		t.Errorf("got %+v, %q", b.Manifest, text)
	}
	if _, ok := b.File("absent"); ok || len(b.Names("hosts/")) != 1 {
		t.Errorf("want one file of hosts, got %q", b.Names("hosts/"))
	}
	for _, row := range [][3]string{{"host h2", "flows.json", "silent"}, {"host h1", "bgp.json", "none"}, {"host h1", "flows.json", "it was not requested"}} {
		if got := b.Manifest.Gaps(row[0], row[1]); got != row[2] {
			t.Errorf("%s of %s: want %q, got %q", row[1], row[0], row[2], got)
		}
	}
	if got := b.Manifest.String(); got != "bundle of 2026-03-01T12:00:00Z, read only; did not answer then: host h2" {
		t.Errorf("got %q", got)
	}
}

// entry is an entry of a tar. Its size may differ from that of its content.
type entry struct {
	name, content string
	kind          byte
	size          int64
}

func packed(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: e.kind, Size: int64(len(e.content)), Mode: 0o600}
		if e.kind == tar.TypeSymlink {
			h.Linkname = "/etc/passwd"
		}
		if e.size > 0 {
			h.Size = e.size
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(w, e.content)
	}
	if err := zip.Close(); err != nil { // without the end of the tar, which readers do without
		t.Fatal(err)
	}
	return out.Bytes()
}

// A file that is not a bundle, or is too large, is refused with the reason.
func TestHostile(t *testing.T) {
	good := whole(t)
	file := func(name, content string) entry { return entry{name: name, content: content, kind: tar.TypeReg} }
	manifest := file(root+ManifestName, `{"format":1}`)
	for _, row := range []struct {
		name string
		text []byte
		want string
	}{
		{"nothing", nil, "is truncated"},
		{"no gzip", []byte("hello, this is text"), "not a support bundle"},
		{"broken off", good[:len(good)-20], "is truncated"},
		{"changed", append(bytes.Clone(good[:len(good)-8]), 0, 0, 0, 0, 0, 0, 0, 0), "not a support bundle: gzip: invalid checksum"},
		{"no tar", packed(t), "not whole: manifest.json is missing"},
		{"without a manifest", packed(t, file(root+"a", "x")), "not whole: manifest.json is missing"},
		{"a path upwards", packed(t, file(root+"../../etc/passwd", "x"), manifest), "is not a file below"},
		{"an absolute path", packed(t, file("/etc/passwd", "x"), manifest), "is not a file below"},
		{"elsewhere", packed(t, file("other/a", "x"), manifest), "is not a file below"},
		{"a backslash", packed(t, file(root+`a\b`, "x"), manifest), "is not a file below"},
		{"a link", packed(t, entry{name: root + "a", kind: tar.TypeSymlink}, manifest), "is not a file below"},
		{"a directory", packed(t, entry{name: root + "a/", kind: tar.TypeDir}, manifest), "is not a file below"},
		{"twice", packed(t, file(root+"a", "x"), file(root+"a", "y"), manifest), "is there twice"},
		{"huge", packed(t, entry{name: root + "a", kind: tar.TypeReg, size: MaxFile + 1}), "a file may have 256"},
		{"a later format", packed(t, file(root+ManifestName, `{"format":2,"version":{"Version":"9.9"}}`)), "reads formats 1 to 1: use programs of version"},
		{"no format", packed(t, file(root+ManifestName, `{}`)), "format 0"},
		{"a malformed manifest", packed(t, file(root+ManifestName, `{"format":"x"}`)), "manifest.json"},
		{"a file that the manifest lacks", packed(t, file(root+"a", "x"), manifest), "lists 0: it was changed"},
		{"a missing file of the index", packed(t, file(root+ManifestName, `{"format":1,"files":[{"name":"a"}]}`)), `"a" is missing`},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := Read(bytes.NewReader(row.text)); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("want an error with %q, got %v", row.want, err)
			}
		})
	}
}

// An unreadable part is not written.
func TestWriterRefuses(t *testing.T) {
	w := NewWriter(io.Discard, made)
	for _, name := range []string{"", "/a", "../a", "a/../b", ManifestName} {
		if err := w.Add(name, "", nil); err == nil {
			t.Errorf("%q: want an error", name)
		}
	}
	if err := w.Add("a", "", make([]byte, MaxFile+1)); !errors.Is(err, ErrFull) {
		t.Errorf("a large file: want ErrFull, got %v", err)
	}
	if err := w.Add("b", "", []byte("x")); err != nil {
		t.Errorf("a file after one that was refused: %v", err)
	}
}

// Everything that is read is an error, or a bundle with exactly the files of its index.
func FuzzRead(f *testing.F) {
	f.Add(whole(f))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, x := range b.Manifest.Files {
			if _, ok := b.File(x.Name); !ok {
				t.Errorf("%q is not there", x.Name)
			}
		}
		_ = b.Manifest.String()
	})
}
