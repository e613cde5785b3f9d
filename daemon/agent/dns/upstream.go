// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/miekg/dns"
)

const (
	serverTimeout  = 2 * time.Second // with each name server
	rereadInterval = 10 * time.Second
	maxCached      = 4096 // answers
	cacheLongest   = 5 * time.Minute
	atOnce         = 256 // concurrent queries
)

// Forwarder queries the host's own name servers. Its methods are safe for concurrent use.
type Forwarder struct {
	servers []string // HOST:PORT; empty: those of the file
	file    string
	now     func() time.Time
	slots   *shares

	mu    sync.Mutex
	read  time.Time // of the file
	found []string
	cache map[dns.Question]cached
}

type cached struct {
	answer *dns.Msg
	at     time.Time
	until  time.Time
}

// ErrBusy means that too many queries of an endpoint, or of its tenant, are in progress.
var ErrBusy = errors.New("too many concurrent queries to name servers")

// NewForwarder returns a Forwarder to servers, "ADDRESS" or "ADDRESS:PORT"; without any, to those in file, in the format of resolv.conf(5),
// which is read again if it may have changed.
func NewForwarder(servers []string, file string) *Forwarder {
	f := &Forwarder{file: file, now: time.Now, slots: newShares(atOnce), cache: map[dns.Question]cached{}}
	for _, s := range servers {
		if _, _, err := net.SplitHostPort(s); err != nil {
			s = net.JoinHostPort(s, "53")
		}
		f.servers = append(f.servers, s)
	}
	return f
}

// Forward sends the query of a client and returns the whole answer. It blocks while name servers answer, at most two seconds each; if none
// answers, the client receives SERVFAIL.
func (f *Forwarder) Forward(ctx context.Context, from Requester, q *dns.Msg) (*dns.Msg, error) {
	release, ok := f.slots.acquire(from)
	if !ok {
		return nil, ErrBusy
	}
	defer release()
	if q.Response || len(q.Question) != 1 {
		return nil, errors.New("not one question")
	}
	a := f.remembered(q.Question[0])
	if a == nil {
		var err error
		if a, err = f.exchange(ctx, q); err != nil {
			a = new(dns.Msg)
			a.SetRcode(q, dns.RcodeServerFailure)
		} else {
			f.remember(q.Question[0], a)
		}
	}
	a.Id, a.Compress = q.Id, true
	a.Question = q.Question
	return a, nil
}

// exchange queries one server after the other, with an id of its own: the client knows its own id, and could have answers forged.
func (f *Forwarder) exchange(ctx context.Context, question *dns.Msg) (*dns.Msg, error) {
	q := question.Copy()
	q.Id = dns.Id()
	var errs []error
	for _, server := range f.upstreams() {
		for _, network := range []string{"udp", "tcp"} {
			c := &dns.Client{Net: network, Timeout: serverTimeout, UDPSize: dns.DefaultMsgSize}
			a, _, err := c.ExchangeContext(ctx, q, server)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", server, err))
				break
			}
			if !a.Truncated || network == "tcp" {
				return a, nil
			}
		}
	}
	return nil, fmt.Errorf("no name server answers: %w", errors.Join(errs...))
}

// upstreams returns the servers in order.
func (f *Forwarder) upstreams() []string {
	if len(f.servers) > 0 {
		return f.servers
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); f.read.IsZero() || now.Sub(f.read) >= rereadInterval {
		f.read = now
		if c, err := dns.ClientConfigFromFile(f.file); err == nil || errors.Is(err, os.ErrNotExist) {
			f.found = nil
			for i := 0; c != nil && i < len(c.Servers); i++ {
				f.found = append(f.found, net.JoinHostPort(c.Servers[i], c.Port))
			}
		}
	}
	return f.found
}

// remembered returns a copy of a cached answer that is still valid, with the remaining times to live; nil if there is none.
func (f *Forwarder) remembered(q dns.Question) *dns.Msg {
	f.mu.Lock()
	defer f.mu.Unlock()
	q.Name = dns.CanonicalName(q.Name)
	c, ok := f.cache[q]
	now := f.now()
	if !ok || !now.Before(c.until) {
		delete(f.cache, q)
		return nil
	}
	a := c.answer.Copy()
	age := uint32(now.Sub(c.at) / time.Second)
	for _, list := range [][]dns.RR{a.Answer, a.Ns, a.Extra} {
		for _, rr := range list {
			if h := rr.Header(); h.Rrtype != dns.TypeOPT {
				h.Ttl -= min(age, h.Ttl)
			}
		}
	}
	return a
}

// remember caches positive answers for the shortest time to live of their records. If the cache is full, it evicts some other answer.
func (f *Forwarder) remember(q dns.Question, a *dns.Msg) {
	if a.Rcode != dns.RcodeSuccess || len(a.Answer) == 0 || a.Truncated {
		return
	}
	life := cacheLongest
	for _, rr := range a.Answer {
		life = min(life, time.Duration(rr.Header().Ttl)*time.Second)
	}
	if life == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	q.Name = dns.CanonicalName(q.Name)
	if len(f.cache) >= maxCached {
		for other := range f.cache {
			delete(f.cache, other)
			break
		}
	}
	now := f.now()
	f.cache[q] = cached{a.Copy(), now, now.Add(life)}
}
