// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/skew"
)

// idleTimeout is the maximum silence of a netmaster, which sends something every two seconds.
const idleTimeout = 7 * time.Second

// Windows within which a retry happens at a random moment: the first, which doubles with every failure, and the longest.
const (
	firstWindow   = 50 * time.Millisecond
	longestWindow = 2 * time.Second
)

// Options are the dependencies of a Client.
type Options struct {
	Host    string                             // label
	Masters func(ctx context.Context) []string // URLs of netmasters; any of them will do
	HTTP    *http.Client                       // its requests carry the incarnation that the host knows
	Hooks   Hooks
	Log     *slog.Logger
}

// Hooks are the interface to the rest of the agent. Each may be nil.
type Hooks struct {
	Directory func() bool                     // whether networks and groups of all tenants are needed; call Again if that changes
	Instance  func() string                   // as in record.Host
	Offer     func(ctx context.Context) error // offers the host's endpoints, if a netmaster requests that before it sends anything
	Reporter  Reporter                        // reports to netmasters
	Opened    func(store record.Incarnation)  // called whenever a netmaster has started to send a store's content, with the zero value for an earlier build
}

// Client is the agent's end of the channel: it follows one netmaster after another, and continues with each from its position. It is safe
// for concurrent use, except for Follow.
type Client struct {
	Options

	mu      sync.Mutex
	with    string // the netmaster that it follows; "": none
	shards  map[Shard]struct{}
	mark    Mark
	stream  uint64             // number of the open one
	moved   chan struct{}      // closed when the mark changes
	end     func()             // ends the open stream
	offered string             // id of the incarnation to which the host's endpoints were last offered
	others  map[string]Another // netmasters with another store, by URL
}

// NewClient returns a Client.
func NewClient(o Options) *Client {
	c := &Client{Options: o, shards: map[Shard]struct{}{}, moved: make(chan struct{}), end: func() {}, others: map[string]Another{}}
	named := *o.HTTP
	named.Transport = &Claiming{Base: o.HTTP.Transport, Known: c.Incarnation}
	c.HTTP = &named
	return c
}

// Bind sets the hooks. It is called before Follow.
func (c *Client) Bind(h Hooks) { c.Hooks = h }

// With returns the URL of the netmaster that it follows, "" if there is none.
func (c *Client) With() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.with
}

// String names the client for logs.
func (c *Client) String() string { return "a netmaster" }

// errAgain ends a stream whose hello is outdated.
var errAgain = errors.New("what this host needs to know has changed")

// Again makes the client send its hello again, to any netmaster, since its content has changed. The client keeps its state.
func (c *Client) Again() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end()
}

// Retell makes the current netmaster, or the next one, send a whole shard again.
func (c *Client) Retell(s Shard) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.shards, s)
	c.end()
}

// Resume restores known state from earlier batches. It is called before Follow.
func (c *Client) Resume(shards []Shard, mark Mark) {
	for _, s := range shards {
		c.shards[s] = struct{}{}
	}
	c.mark = mark
}

// Follow yields the batches that concern the host, first all that are not known yet, until ctx ends. An outage yields one error. It is
// called once.
func (c *Client) Follow(ctx context.Context) iter.Seq2[Batch, error] {
	return func(yield func(Batch, error) bool) {
		reported, rounds := false, 0
		failed := map[string]struct{}{} // netmasters, since the last success or since all were tried
		for ctx.Err() == nil {
			base, more, err := c.choose(ctx, failed)
			followed := false
			if err == nil {
				err = c.follow(ctx, base, func(b Batch) bool {
					reported, rounds, followed = false, 0, true
					return yield(b, nil)
				})
			}
			if err == nil || ctx.Err() != nil {
				return
			}
			c.Log.Debug("lost the channel", "error", err)
			if followed {
				clear(failed)
			}
			failed[base] = struct{}{}
			switch {
			case followed: // agents replace an ended stream silently, one after the other
				c.rest(ctx, firstWindow)
			case !more:
				if !reported {
					reported = true
					if !yield(Batch{}, err) {
						return
					}
				}
				c.rest(ctx, min(longestWindow, firstWindow<<min(rounds, 8)))
				rounds++
				clear(failed)
			}
		}
	}
}

// rest blocks until a random moment within a window, or until ctx ends.
func (c *Client) rest(ctx context.Context, window time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(rand.N(window)):
	}
}

// choose picks a netmaster at random, so that agents spread over them, of those that have not failed, or of all if all have; more reports
// whether others have not failed.
func (c *Client) choose(ctx context.Context, failed map[string]struct{}) (base string, more bool, err error) {
	all := c.Masters(ctx)
	if len(all) == 0 {
		return "", false, errors.New("no netmaster is known")
	}
	var left []string
	for _, base := range all {
		if _, is := failed[base]; !is {
			left = append(left, base)
		}
	}
	if len(left) == 0 {
		return all[rand.IntN(len(all))], false, nil
	}
	return left[rand.IntN(len(left))], len(left) > 1, nil
}

// follow follows one netmaster until that fails, or until yield returns false, which returns nil.
func (c *Client) follow(ctx context.Context, base string, take func(Batch) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.mu.Lock()
	c.end = func() { cancel(errAgain) }
	c.stream++
	stream := c.stream
	c.mu.Unlock()
	quiet := time.AfterFunc(idleTimeout, func() { cancel(fmt.Errorf("it sent nothing for %s", idleTimeout)) })
	defer quiet.Stop()
	answer, done, err := c.open(ctx, base, stream)
	defer done()
	if err != nil {
		return because(ctx, base, err)
	}
	defer func() { _ = answer.Body.Close() }()
	defer c.set("")
	in := NewReader(&received{answer.Body, func() { quiet.Reset(idleTimeout) }})
	for {
		b, err := in.Read()
		if err != nil {
			return because(ctx, base, err)
		}
		quiet.Stop() // the receiver may take any time
		c.set(base)
		b.stream = stream
		c.recordPosition(&b)
		if !take(b) {
			return nil
		}
		quiet.Reset(idleTimeout)
	}
}

// open sends the hello, and then reports until done is called, which must be called in any case. If a netmaster requests the host's
// endpoints, it offers them and sends the hello again.
func (c *Client) open(ctx context.Context, base string, stream uint64) (answer *http.Response, done func(), err error) {
	answer, done, there, err := c.greet(ctx, base, stream)
	if !errors.Is(err, errOffer) {
		return answer, done, err
	}
	done()
	if err := c.Hooks.Offer(ctx); err != nil {
		return nil, func() {}, fmt.Errorf("offer the endpoints of this host: %w", err)
	}
	c.mu.Lock()
	c.offered = there.ID
	c.mu.Unlock()
	answer, done, _, err = c.greet(ctx, base, stream)
	return answer, done, err
}

// errOffer means that a netmaster requests the host's endpoints.
var errOffer = errors.New("it requests the endpoints of this host")

// greet sends the hello once.
func (c *Client) greet(ctx context.Context, base string, stream uint64) (answer *http.Response, done func(), there record.Incarnation, err error) {
	body, done := c.speak(ctx, stream)
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, base+Path, body)
	if err != nil {
		return nil, done, there, err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json")
	answer, err = c.HTTP.Do(q)
	if err != nil {
		return answer, done, there, err
	}
	there, err = c.identify(base, answer.Header)
	if err != nil {
		_ = answer.Body.Close()
		return nil, done, there, err
	}
	if answer.StatusCode != http.StatusOK {
		err := refusal(answer)
		if answer.Header.Get(OfferHeader) != "" && c.Hooks.Offer != nil {
			err = errOffer
		}
		return nil, done, there, err
	}
	if err := agreed(answer.Header.Get(ProtocolHeader)); err != nil {
		_ = answer.Body.Close()
		return nil, done, there, err
	}
	if c.Hooks.Opened != nil {
		c.Hooks.Opened(there)
	}
	return answer, done, there, nil
}

// refusal is the reason, from its answer, why a netmaster does not serve a stream.
func refusal(answer *http.Response) error {
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode == http.StatusNotFound {
		return errors.New("it is of an earlier build, which does not speak to agents: upgrade the netmasters first")
	}
	return client.Refusal(answer)
}

// speak returns the body of the agent's request: the hello, and then reports until done is called.
func (c *Client) speak(ctx context.Context, stream uint64) (body io.Reader, done func()) {
	c.mu.Lock()
	hello := Hello{Host: c.Host, Directory: c.Hooks.Directory != nil && c.Hooks.Directory(), Shards: slices.Sorted(maps.Keys(c.shards)), Mark: c.mark, Offers: c.Hooks.Offer != nil, Offered: c.offered, Protocol: skew.Protocol}
	c.mu.Unlock()
	if c.Hooks.Instance != nil {
		hello.Instance = c.Hooks.Instance()
	}
	text, err := json.Marshal(hello)
	if c.Hooks.Reporter == nil || err != nil {
		return bytes.NewReader(text), func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	out, in := io.Pipe()
	go func() {
		defer close(ended)
		_, err := in.Write(text)
		if err == nil {
			err = c.report(ctx, in, stream)
		}
		_ = in.CloseWithError(err)
	}()
	return out, func() {
		cancel()
		_ = out.Close()
		<-ended
	}
}

// because adds the cause of a request's end to an error, if that was the client itself.
func because(ctx context.Context, base string, err error) error {
	if why := context.Cause(ctx); why != nil && !errors.Is(why, context.Canceled) {
		err = why
	}
	return fmt.Errorf("netmaster at %s: %w", base[strings.LastIndex(base, "/")+1:], err)
}

// recordPosition records the position of the client.
func (c *Client) recordPosition(b *Batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b.Reset {
		clear(c.shards)
	}
	for i := range b.Updates {
		c.shards[b.Updates[i].Shard] = struct{}{}
	}
	for _, s := range b.Left {
		delete(c.shards, s)
	}
	known := c.mark.Incarnation
	c.mark = b.Mark
	c.mark.Reset = false
	if c.mark.Incarnation == "" { // from an earlier build
		c.mark.Incarnation = known
	}
	close(c.moved)
	c.moved = make(chan struct{})
}

func (c *Client) set(with string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.with = with
}

// received calls a function when something of a stream arrives.
type received struct {
	io.Reader
	some func()
}

func (h *received) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.some()
	}
	return n, err
}
