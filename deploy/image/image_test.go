// SPDX-License-Identifier: Apache-2.0

package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// files unpacks an archive into dir and returns the regular files.
func files(t *testing.T, archive []byte, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, h.Name)
		if h.Typeflag == tar.TypeDir {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err) // twice, or before what it is in
			}
			continue
		}
		text, err := io.ReadAll(r)
		if err == nil {
			err = os.WriteFile(path, text, os.FileMode(h.Mode))
		}
		if err != nil {
			t.Fatal(err)
		}
		out[h.Name] = text
	}
}

// The programs of an image run with only its files.
func TestProgramsRun(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	i, err := New("box:1", []string{"sh"}, map[string]string{"sh": sh, "cat": cat})
	if err != nil {
		t.Fatal(err)
	}
	var archive bytes.Buffer
	if _, err := i.WriteTo(&archive); err != nil {
		t.Fatal(err)
	}
	outer := files(t, archive.Bytes(), t.TempDir())
	var manifest []struct {
		Config   string
		RepoTags []string
		Layers   []string
	}
	if err := json.Unmarshal(outer["manifest.json"], &manifest); err != nil || len(manifest) != 1 || manifest[0].RepoTags[0] != "box:1" {
		t.Fatalf("manifest %s: %v", outer["manifest.json"], err)
	}
	layer := outer[manifest[0].Layers[0]]
	digest := sha256.Sum256(layer)
	if config := outer[manifest[0].Config]; !bytes.Contains(config, []byte(hex.EncodeToString(digest[:]))) {
		t.Errorf("configuration %s does not name the layer", config)
	}
	root := t.TempDir()
	files(t, layer, root)
	cmd := exec.Command("chroot", root, "/bin/sh", "-c", "echo it runs | /bin/cat")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "it runs\n" {
		t.Errorf("in the image: %q, %v", out, err)
	}
}

func TestMissingProgram(t *testing.T) {
	if _, err := New("box:1", nil, map[string]string{"x": "/no/such/program"}); err == nil {
		t.Error("a program that is not there: want an error, got none")
	}
}
