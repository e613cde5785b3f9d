// SPDX-License-Identifier: Apache-2.0

package httpserver_test

import (
	"testing"

	"github.com/contiv/contiv/daemon/httpserver"
)

// A maximum changes while operations run, which continue.
func TestGate_SetMax(t *testing.T) {
	g := httpserver.NewGate("things", "max-things", 1)
	leave, err := g.Enter("a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Enter("b"); err == nil {
		t.Error("above the first maximum: want an error")
	}
	g.SetMax(8)
	if g.Max() != 8 {
		t.Errorf("want 8, got %d", g.Max())
	}
	if _, err := g.Enter("a"); err != nil {
		t.Errorf("the second of a client's two: %v", err)
	}
	if _, err := g.Enter("a"); err == nil {
		t.Error("the third of a client's two: want an error")
	}
	g.SetMax(1)
	if leave(); g.Open() != 1 {
		t.Errorf("want the other operation open, got %d", g.Open())
	}
	if _, err := g.Enter("c"); err == nil {
		t.Error("above the last maximum: want an error")
	}
}

// Names change while a server answers.
func TestNames_Set(t *testing.T) {
	n := httpserver.NewNames("a.example")
	if n.Set("b.example"); n.Has("a.example") || !n.Has("b.example:9999") || !n.Has("192.0.2.1") {
		t.Error("want only the second name, and addresses")
	}
}
