// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

const (
	requestTimeout = 15 * time.Second // for a master to answer
	moveLimit      = time.Minute      // for one move
	roundMoves     = 40               // between two checks
	pause          = time.Second / 2  // between two moves, at most
)

// cluster is what the campaign is about, and what is known of it.
type cluster struct {
	lab   *lab.Lab
	api   *client.Client
	rand  *rand.Rand // of the moves; one goroutine
	out   io.Writer
	began time.Time

	only    string          // kind of trouble that is made; "": all
	leaving map[string]bool // containers whose end is asked for until it succeeds, by name
	still   sync.RWMutex    // held by who wants no move meanwhile
	serial  int             // of containers

	moves, refused, faults, checks, pairs, findings int
}

// say prints a line with the time since the beginning.
func (c *cluster) say(format string, args ...any) {
	fmt.Fprintf(c.out, "%7.1fs  %s\n", time.Since(c.began).Seconds(), fmt.Sprintf(format, args...))
}

// found prints what should not be.
func (c *cluster) found(format string, args ...any) {
	c.findings++
	c.say("FINDING %s", fmt.Sprintf(format, args...))
}

// rounds moves and checks until a time.
func (c *cluster) rounds(ctx context.Context, until time.Time) {
	moves := c.vocabulary()
	for time.Now().Before(until) && ctx.Err() == nil {
		faults := make(chan []fault, 1)
		calm := make(chan struct{})
		seed := c.rand.Uint64()
		go func() { faults <- c.trouble(ctx, rand.New(rand.NewPCG(seed, 1)), calm) }()
		for range roundMoves {
			c.move(ctx, moves[c.rand.IntN(len(moves))])
			sleep(ctx, c.rand, pause)
		}
		close(calm)
		for _, f := range c.meanwhile(ctx, moves, faults) {
			c.faults++
			c.say("  fault: %s", f.what)
			if f.wrong {
				c.found("%s", f.what)
			}
		}
		c.check(ctx)
	}
}

// meanwhile moves until the last trouble is over, and returns what there was.
func (c *cluster) meanwhile(ctx context.Context, moves []func(context.Context) (string, error), faults <-chan []fault) []fault {
	for {
		select {
		case did := <-faults:
			return did
		default:
		}
		c.move(ctx, moves[c.rand.IntN(len(moves))])
		sleep(ctx, c.rand, pause)
	}
}

// move makes one move, and looks at how it was refused if it was.
func (c *cluster) move(ctx context.Context, do func(context.Context) (string, error)) {
	c.still.RLock()
	defer c.still.RUnlock()
	mctx, cancel := context.WithTimeout(ctx, moveLimit)
	defer cancel()
	what, err := do(mctx)
	if what == "" {
		return // there was nothing to do it to
	}
	c.moves++
	if err == nil {
		c.say("%s", what)
		return
	}
	c.refused++
	text, _, _ := strings.Cut(err.Error(), "\n")
	c.say("%s: %s", what, text)
	e := model.AsError(err)
	if e.Code == model.CodeInternal && !strings.Contains(text, "cni ") {
		c.found("%s: an internal error: %v", what, err)
	}
	if strings.Contains(text, "panic") {
		c.found("%s: %v", what, err)
	}
}

// pick returns one of a list, and false when it is empty.
func pick[T any](c *cluster, list []T) (v T, ok bool) {
	if len(list) == 0 {
		return v, false
	}
	return list[c.rand.IntN(len(list))], true
}
