// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func runs(s *bitmap, free bool) string {
	text := ""
	for a, b := range s.Runs(free) {
		text += fmt.Sprintf("[%d %d]", a, b)
	}
	return text
}

func TestBitmapRuns(t *testing.T) {
	tests := []struct {
		name  string
		size  int
		take  [][2]int
		taken string
		free  string
	}{
		{"nothing", 0, nil, "", ""},
		{"all free", 10, nil, "", "[0 9]"},
		{"all taken", 64, [][2]int{{0, 63}}, "[0 63]", ""},
		{"across a word", 200, [][2]int{{60, 70}}, "[60 70]", "[0 59][71 199]"},
		{"ends", 129, [][2]int{{0, 0}, {128, 128}}, "[0 0][128 128]", "[1 127]"},
		{"three levels", 1<<18 + 3, [][2]int{{0, 1<<18 - 2}, {1<<18 + 1, 1<<18 + 1}}, "[0 262142][262145 262145]", "[262143 262144][262146 262146]"},
		{"whole words", 4097, [][2]int{{64, 4095}}, "[64 4095]", "[0 63][4096 4096]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newBitmap(tt.size)
			for _, r := range tt.take {
				for i := r[0]; i <= r[1]; i++ {
					if !s.Acquire(i) {
						t.Fatalf("take %d: want free", i)
					}
				}
			}
			if got := runs(s, false); got != tt.taken {
				t.Errorf("taken: want %s, got %s", tt.taken, got)
			}
			if got := runs(s, true); got != tt.free {
				t.Errorf("free: want %s, got %s", tt.free, got)
			}
		})
	}
}

func TestBitmapOutside(t *testing.T) {
	s := newBitmap(70)
	for _, i := range []int{-1, 70, 1 << 30} {
		if s.Acquire(i) || s.Release(i) || s.IsFree(i) {
			t.Errorf("%d is outside: want false everywhere", i)
		}
	}
	if s.Free() != 70 {
		t.Errorf("free: want 70, got %d", s.Free())
	}
}

// TestBitmapModel compares the set with a slice of bools under random operations.
func TestBitmapModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(1, 5000).Draw(t, "size")
		s, model := newBitmap(size), make([]bool, size)
		var before []*bitmap // each of which must stay as it was
		var models [][]bool
		number := rapid.IntRange(-2, size+2)
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				i := number.Draw(t, "i")
				want := i >= 0 && i < size && !model[i]
				if got := s.Acquire(i); got != want {
					t.Fatalf("take %d: want %v, got %v", i, want, got)
				}
				if want {
					model[i] = true
				}
			},
			"first from": func(t *rapid.T) {
				i := number.Draw(t, "i")
				want := -1
				if from := min(max(i, 0), size); slices.Contains(model[from:], false) {
					want = from + slices.Index(model[from:], false)
				}
				if got := s.First(i); got != want {
					t.Fatalf("first from %d: want %d, got %d", i, want, got)
				}
			},
			"clone": func(t *rapid.T) {
				if len(before) == 3 {
					t.Skip("there are enough")
				}
				before, models = append(before, s), append(models, slices.Clone(model))
				s = s.Clone()
			},
			"first": func(t *rapid.T) {
				want := slices.Index(model, false)
				if got := s.First(0); got != want {
					t.Fatalf("first: want %d, got %d", want, got)
				}
				if want >= 0 {
					s.Acquire(want)
					model[want] = true
				}
			},
			"release": func(t *rapid.T) {
				i := number.Draw(t, "i")
				want := i >= 0 && i < size && model[i]
				if got := s.Release(i); got != want {
					t.Fatalf("release %d: want %v, got %v", i, want, got)
				}
				if want {
					model[i] = false
				}
			},
			"": func(t *rapid.T) {
				want := 0
				for _, taken := range model {
					if !taken {
						want++
					}
				}
				if s.Free() != want {
					t.Fatalf("free: want %d, got %d", want, s.Free())
				}
				for n, old := range before {
					for i, taken := range models[n] {
						if old.IsFree(i) == taken {
							t.Fatalf("set %d, number %d: changed by its clone", n, i)
						}
					}
				}
			},
		})
	})
}

func BenchmarkBitmapFirst(b *testing.B) {
	for _, fill := range []int{0, 50, 99} {
		b.Run(fmt.Sprintf("fill=%d%%", fill), func(b *testing.B) {
			s := newBitmap(1 << 16)
			for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(1 << 16)[:fill*(1<<16)/100] {
				s.Acquire(i)
			}
			for b.Loop() {
				i := s.First(0)
				s.Acquire(i)
				s.Release(i)
			}
		})
	}
}
