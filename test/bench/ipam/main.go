// SPDX-License-Identifier: Apache-2.0

// Ipam measures the address pools: one address taken and given back in a /16, at every fill, and what a pool costs.
package main

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/test/bench/report"
)

// Limits of the promise.
const (
	maxNanos = 100
	maxBytes = 10 << 10
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench ipam:", err)
		os.Exit(1)
	}
}

func run() error {
	t := &report.Table{Title: "Addresses of a /16: taken and given back, at every fill (the limit is the promise)"}
	for _, percent := range []int{0, 25, 50, 75, 90, 99} {
		for _, order := range []string{"front", "random"} {
			p, err := filled(percent, order)
			if err != nil {
				return err
			}
			rest := p.Rest(nil)
			r := testing.Benchmark(func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					a, err := rest.First()
					if err == nil {
						err = p.Acquire(a)
					}
					if err != nil {
						b.Fatal(err)
					}
					p.Release(a)
				}
			})
			t.Add(report.Row{What: fmt.Sprintf("%d %% in use, %s", percent, order),
				Ours:   fmt.Sprintf("%d ns, %d allocations", r.NsPerOp(), r.AllocsPerOp()),
				Target: fmt.Sprintf("<= %d ns, 0", maxNanos), Met: r.NsPerOp() <= maxNanos && r.AllocsPerOp() == 0})
		}
	}
	size, err := bytes()
	if err != nil {
		return err
	}
	t.Add(report.Row{What: "memory of one", Ours: fmt.Sprintf("%d bytes", size), Target: fmt.Sprintf("<= %d", maxBytes), Met: size <= maxBytes})
	return t.Write(os.Stdout)
}

func pool() (*ipam.Pool, error) {
	return ipam.New(ipam.Spec{Prefix: netip.MustParsePrefix("10.1.0.0/16")})
}

// filled is a pool with some of its addresses in use: the lowest, or any.
func filled(percent int, order string) (*ipam.Pool, error) {
	p, err := pool()
	if err != nil {
		return nil, err
	}
	var taken []netip.Addr
	for a := netip.MustParseAddr("10.1.0.1"); p.Contains(a); a = a.Next() {
		if err := p.Acquire(a); err != nil {
			return nil, err
		}
		taken = append(taken, a)
	}
	if order == "random" {
		r := rand.New(rand.NewPCG(1, 2))
		r.Shuffle(len(taken), func(i, j int) { taken[i], taken[j] = taken[j], taken[i] })
	}
	for _, a := range taken[len(taken)*percent/100:] {
		p.Release(a)
	}
	return p, nil
}

// bytes is what one pool keeps on the heap.
func bytes() (uint64, error) {
	const many = 256
	pools := make([]*ipam.Pool, many)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range pools {
		var err error
		if pools[i], err = pool(); err != nil {
			return 0, err
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(pools)
	return (after.HeapAlloc - before.HeapAlloc) / many, nil
}
