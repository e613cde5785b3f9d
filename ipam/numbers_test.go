// SPDX-License-Identifier: Apache-2.0

package ipam

import (
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func acquire(t testing.TB, p *Numbers, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		if err := p.Acquire(n); err != nil {
			t.Fatalf("take %d: %v", n, err)
		}
	}
}

// TAG-03, TAG-04: numbers in use and outside the range.
func TestNumbersAcquire(t *testing.T) {
	tests := []struct {
		name string
		pool *Numbers
		in   int
		want error
	}{
		{"free", NewNumbers(100, 1000), 500, nil},
		{"lowest", NewNumbers(100, 1000), 100, nil},
		{"highest", NewNumbers(100, 1000), 1000, nil},
		{"above", NewNumbers(100, 1000), 1001, ErrNumberOutOfRange},
		{"below", NewNumbers(100, 1000), 99, ErrNumberOutOfRange},
		{"in use", NewNumbers(1, 10), 3, ErrNumberInUse},
		{"vlan 0", NewVLANs(0, 4095), 0, ErrNumberOutOfRange},
		{"vlan 4095", NewVLANs(0, 4095), 4095, ErrNumberOutOfRange},
		{"vlan 4094", NewVLANs(0, 4095), 4094, nil},
		{"no numbers", NewNumbers(1, 0), 1, ErrNumberOutOfRange},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == ErrNumberInUse {
				acquire(t, tt.pool, tt.in)
			}
			if err := tt.pool.Acquire(tt.in); !errors.Is(err, tt.want) {
				t.Errorf("want %v, got %v", tt.want, err)
			}
		})
	}
}

// TAG-07: the lowest number first.
func TestNumbersFirst(t *testing.T) {
	tests := []struct {
		name  string
		pool  *Numbers
		taken []int
		want  int // 0: exhausted
	}{
		{"first", NewNumbers(1, 10), nil, 1},
		{"hole", NewNumbers(1, 10), []int{1, 2, 4}, 3},
		{"exhausted", NewNumbers(1, 2), []int{1, 2}, 0},
		{"empty", NewNumbers(1, 0), nil, 0},
		{"vni", NewNumbers(10000, 12000), nil, 10000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			acquire(t, tt.pool, tt.taken...)
			got, err := tt.pool.First()
			if got != tt.want || (tt.want == 0) != errors.Is(err, ErrNoNumber) {
				t.Errorf("want %d, got %d (%v)", tt.want, got, err)
			}
		})
	}
}

// TAG-12: numbers in use as text.
func TestNumbersText(t *testing.T) {
	tests := []struct {
		name  string
		pool  *Numbers
		taken []int
		want  string
		free  string
	}{
		{"none", NewNumbers(1, 4094), nil, "", "1-4094"},
		{"some", NewNumbers(1, 100), []int{1, 2, 19}, "1-2, 19", "3-18, 20-100"},
		{"vxlan", NewNumbers(1, 1000), []int{1, 100, 101}, "1, 100-101", "2-99, 102-1000"},
		{"three", NewNumbers(1, 300), []int{1, 10, 11, 12, 300}, "1, 10-12, 300", "2-9, 13-299"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			acquire(t, tt.pool, tt.taken...)
			if got := tt.pool.String(); got != tt.want {
				t.Errorf("in use: want %q, got %q", tt.want, got)
			}
			if got := tt.pool.FreeText(); got != tt.free {
				t.Errorf("free: want %q, got %q", tt.free, got)
			}
			if got := tt.pool.InUse(); got != len(tt.taken) {
				t.Errorf("count: want %d, got %d", len(tt.taken), got)
			}
		})
	}
}

func TestNumbersResize(t *testing.T) {
	tests := []struct {
		name     string
		taken    []int
		min, max int
		wantErr  string
		free     string
	}{
		{"wider", []int{1000, 2000}, 1, 3000, "", "1-999, 1001-1999, 2001-3000"},
		{"exactly", []int{1000, 2000}, 1000, 2000, "", "1001-1999"},
		{"cuts the lowest", []int{1000, 1001, 2000}, 1500, 2500, "1000-1001 in use outside 1500-2500: number is out of range", "1002-1999, 2001-2500"},
		{"cuts both", []int{1000, 2000}, 1001, 1999, "1000, 2000 in use outside 1001-1999: number is out of range", "1001-1999, 2001-2500"},
		{"to nothing", nil, 5, 4, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := NewNumbers(1000, 2500)
			acquire(t, p, tt.taken...)
			err := p.Resize(tt.min, tt.max)
			if got := numbersText(err); got != tt.wantErr {
				t.Errorf("error: want %q, got %q", tt.wantErr, got)
			}
			if got := p.FreeText(); got != tt.free {
				t.Errorf("free: want %q, got %q", tt.free, got)
			}
			if p.InUse() != len(tt.taken) {
				t.Errorf("in use: want %d, got %d", len(tt.taken), p.InUse())
			}
		})
	}
}

func TestNumbersRelease(t *testing.T) {
	p := NewNumbers(1, 9)
	acquire(t, p, 2)
	for n, want := range map[int]bool{2: true, 1: false, 5: false, 0: false, 99: false} {
		if got := p.Release(n); got != want {
			t.Errorf("release %d: want %v, got %v", n, want, got)
		}
	}
	if got := p.FreeText(); got != "1-9" {
		t.Errorf("free: want 1-9, got %q", got)
	}
}

func numbersText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TAG-09: ranges that run backwards are no pool.
func TestParseNumberRange(t *testing.T) {
	tests := []struct {
		name, in, want, wantErr string
	}{
		{"one", "1-4094", "1-4094", ""},
		{"single", "7-7", "7", ""},
		{"backwards", "900-500", "", `range "900-500": first number 900 is greater than last number 500`},
		{"no dash", "12", "", `range "12": want FIRST-LAST, like 1-4094`},
		{"empty", "", "", `range "": want FIRST-LAST, like 1-4094`},
		{"no first", "-5", "", `range "-5": first number: is missing`},
		{"no last", "5-", "", `range "5-": last number: is missing`},
		{"words", "a-b", "", `range "a-b": first number: "a" is not a number from 0 to 2147483647`},
		{"huge", "1-99999999999999999999", "", `range "1-99999999999999999999": last number: "99999999999999999999" is not a number from 0 to 2147483647`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := ParseNumberRange(tt.in)
			got := ""
			if err == nil {
				got = r.String()
			}
			if got != tt.want || numbersText(err) != tt.wantErr {
				t.Errorf("want %q %q, got %q %q", tt.want, tt.wantErr, got, numbersText(err))
			}
		})
	}
}

func FuzzParseNumberRange(f *testing.F) {
	for _, seed := range []string{"1-4094", "5-100, 101-200", "", "-", ",", "1-2,1-2", "0-2147483647"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		r, err := ParseNumberRange(in)
		if err == nil && (r.Len() == 0 || r.Min < 0) {
			t.Errorf("%q: got the empty range %v", in, r)
		}
	})
}

// TestNumbersModel compares the pool with a map under random operations, resizes included.
func TestNumbersModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo, hi := 10, 300
		p, model := NewNumbers(lo, hi), map[int]bool{}
		number := rapid.IntRange(0, 400)
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				n := number.Draw(t, "n")
				want := n >= lo && n <= hi && !model[n]
				if err := p.Acquire(n); (err == nil) != want {
					t.Fatalf("take %d: want ok %v, got %v", n, want, err)
				}
				if want {
					model[n] = true
				}
			},
			"clone": func(*rapid.T) { p = p.Clone() },
			"first": func(t *rapid.T) {
				want := lo
				for model[want] {
					want++
				}
				got, err := p.First()
				if err != nil {
					if want <= hi {
						t.Fatalf("first: want %d, got %v", want, err)
					}
					return
				}
				if got != want {
					t.Fatalf("first: want %d, got %d", want, got)
				}
				model[got] = true
				if err := p.Acquire(got); err != nil {
					t.Fatal(err)
				}
			},
			"release": func(t *rapid.T) {
				n := number.Draw(t, "n")
				if got := p.Release(n); got != model[n] {
					t.Fatalf("release %d: want %v, got %v", n, model[n], got)
				}
				delete(model, n)
			},
			"resize": func(t *rapid.T) {
				a, b := number.Draw(t, "a"), number.Draw(t, "b")
				want := true
				for n := range model {
					want = want && n >= a && n <= b
				}
				if err := p.Resize(a, b); (err == nil) != want {
					t.Fatalf("resize %d-%d: want ok %v, got %v", a, b, want, err)
				}
				if want {
					lo, hi = a, b
				}
			},
			"": func(t *rapid.T) {
				if p.InUse() != len(model) {
					t.Fatalf("in use: want %d, got %d", len(model), p.InUse())
				}
			},
		})
	})
}
