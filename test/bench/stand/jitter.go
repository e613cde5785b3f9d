package stand

import (
	"runtime"
	"time"
)

// Jitter computes for about d, n times, and returns how long each took: what this machine, whose processors others use as well,
// does to anything that takes so long.
func Jitter(d time.Duration, n int) []time.Duration {
	const sample = 100_000
	begin := time.Now()
	sum := spin(sample)
	steps := int(float64(sample) * float64(d) / float64(max(time.Since(begin), 1)))
	out := make([]time.Duration, n)
	for i := range out {
		begin := time.Now()
		sum += spin(steps)
		out[i] = time.Since(begin)
	}
	runtime.KeepAlive(sum)
	return out
}

// spin takes that many steps, each of which needs the one before.
//
//go:noinline
func spin(steps int) (x uint64) {
	for range steps {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}
