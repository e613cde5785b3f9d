// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Without --name it is the lab called "lab", or the only one; several are listed.
func TestWhichLab(t *testing.T) {
	for _, r := range []struct{ labs, given, name, err string }{
		{"", "", "lab", ""}, {"g", "", "g", ""}, {"g lab", "", "lab", ""}, {"g h", "", "", "several labs, g, h: choose with --name"},
		{"g", "other", "other", ""}, {"g h", "h", "h", ""},
	} {
		w := &where{dir: t.TempDir(), name: r.given}
		for name := range strings.FieldsSeq(r.labs) {
			if err := os.MkdirAll(filepath.Join(w.dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(w.dir, name, "lab.json"), []byte("{}"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := w.existing()
		if got != r.name || (err == nil) != (r.err == "") || err != nil && !strings.Contains(err.Error(), r.err) {
			t.Errorf("labs %q, --name %q: want %q and error %q, got %q and %v", r.labs, r.given, r.name, r.err, got, err)
		}
	}
}

// The demo prints the commands of its own lab, whatever its name.
func TestDemoNamesItsLab(t *testing.T) {
	var out bytes.Buffer
	w := &where{dir: "/x", name: "mine", s: Streams{Out: &out, Err: io.Discard}}
	if err := demoNext(w, "NETMASTER=https://a:1 CONTIV_TRUST=/t", time.Second, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"contiv lab --name mine --dir /x ping cart app ", "contiv lab --name mine --dir /x kubectl get pods -A ", "contiv lab --name mine --dir /x down removes", "export NETMASTER=https://a:1 CONTIV_TRUST=/t PATH=/"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in %s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "demo") || strings.Contains(out.String(), "%!") {
		t.Errorf("another name in %s", out.String())
	}
	cmd := newDemo(w)
	cmd.SetArgs(nil)
	w.dir = "/dev/null" // nothing can be made there
	if err := cmd.Execute(); err == nil || w.name != "mine" {
		t.Errorf("want the demo in the lab mine, or not at all, got %q and %v", w.name, err)
	}
}
