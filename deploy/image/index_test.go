// SPDX-License-Identifier: Apache-2.0

package image

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An index has an image of each architecture, found by digests, and the same images give the same bytes.
func TestIndex(t *testing.T) {
	images := map[string]*Image{}
	for _, arch := range []string{"amd64", "arm64"} {
		file := filepath.Join(t.TempDir(), "p")
		if err := os.WriteFile(file, []byte("program for "+arch), 0o755); err != nil {
			t.Fatal(err)
		}
		images[arch] = &Image{Cmd: []string{"p"}, Files: map[string]string{"/bin/p": file}}
	}
	var first, second bytes.Buffer
	for _, w := range []*bytes.Buffer{&first, &second} {
		if err := WriteIndex(w, "box:1", time.Unix(1767225600, 0), images); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same images give other bytes")
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "blobs", "sha256"), 0o755); err != nil {
		t.Fatal(err)
	}
	all := files(t, first.Bytes(), dir)
	read := func(name string, to any) {
		t.Helper()
		if err := json.Unmarshal(all[name], to); err != nil {
			t.Fatalf("%s: %v: %s", name, err, all[name])
		}
	}
	type list struct{ Manifests []descriptor }
	blob := func(d descriptor) string { return "blobs/sha256/" + strings.TrimPrefix(d.Digest, "sha256:") }
	var outer, inner list
	read("index.json", &outer)
	read(blob(outer.Manifests[0]), &inner)
	if len(outer.Manifests) != 1 || len(inner.Manifests) != 2 || outer.Manifests[0].Annotations["org.opencontainers.image.ref.name"] != "box:1" {
		t.Fatalf("got %+v and %+v, want one index of two images", outer, inner)
	}
	for i, arch := range []string{"amd64", "arm64"} {
		var manifest struct {
			Config descriptor
			Layers []descriptor
		}
		var config struct{ Architecture, Created string }
		read(blob(inner.Manifests[i]), &manifest)
		read(blob(manifest.Config), &config)
		if inner.Manifests[i].Platform.Architecture != arch || config.Architecture != arch || config.Created != "2026-01-01T00:00:00Z" || all[blob(manifest.Layers[0])] == nil {
			t.Errorf("image %d: got %+v, %+v and %+v, want one for %s with its layer", i, inner.Manifests[i], manifest, config, arch)
		}
	}
}
