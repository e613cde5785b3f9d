package main

import "testing"

// What is measured is there on both sides, with as many flows as take the switch more than a chunk: it is not measured here.
func TestBothSides(t *testing.T) {
	if err := run("flows", 1, 700, 6000, ""); err != nil {
		t.Fatal(err)
	}
}
