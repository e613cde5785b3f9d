// SPDX-License-Identifier: Apache-2.0

package pairs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/sanitize"
)

const (
	// probeTimeout is how long a netmaster may take to answer: several round trips of a network in which no netmaster could lead.
	probeTimeout = 4 * time.Second
	maxAnswer    = 256 << 10 // bytes
)

// prober measures netmasters.
type prober struct{ transport peer.Transport }

// answered is the error of a netmaster that answers without measurements: one that waits for its store, or of another version.
type answered struct{ text string }

func (a *answered) Error() string { return a.text }

// measure requests the rows of the netmaster at an address. The round trip is that of the request and its answer, without what a new
// connection takes. The error of one that answers, but without rows, is *answered. It blocks for at most probeTimeout.
func (p *prober) measure(ctx context.Context, address string) (out sample, err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	var sent, first atomic.Int64 // nanoseconds since start: several goroutines write them
	start := time.Now()
	since := func() int64 { return int64(time.Since(start)) }
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { sent.Store(since()) },
		GotFirstResponseByte: func() { first.Store(since()) },
	})
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, p.transport.URL(address, Path), nil)
	if err != nil {
		return out, err
	}
	q.Header.Set("Accept", "application/json")
	answer, err := p.transport.HTTP.Do(q)
	if err != nil {
		if at, ok := errors.AsType[*url.Error](err); ok {
			err = at.Err
		}
		return out, err
	}
	defer func() { _ = answer.Body.Close() }()
	out.roundTrip = time.Duration(first.Load() - sent.Load())
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return out, fmt.Errorf("broke off its answer: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return out, &answered{fmt.Sprintf("answered %d: %s", answer.StatusCode, sanitize.Line(string(text), 200))}
	}
	pairs, err := decode(text)
	if err != nil {
		return out, &answered{"answered something else than measurements: " + err.Error()}
	}
	arrived := start.Add(time.Duration(first.Load()))
	out.rows, out.clock = pairs.Rows, !pairs.At.IsZero()
	out.ahead = pairs.At.Add(out.roundTrip / 2).Sub(arrived)
	return out, nil
}

// decode reads the measurements of another netmaster.
func decode(text []byte) (out model.MasterPairs, err error) {
	return out, json.Unmarshal(text, &out)
}

// result returns the state of a netmaster that was measured.
func result(got sample, err error) (out model.MasterPeer) {
	var late net.Error
	var answer *answered
	switch {
	case err == nil:
		return model.MasterPeer{State: model.PairReached}
	case errors.As(err, &answer):
		out.State = model.PairReached
		if got.roundTrip <= 0 {
			out.State = model.PairFailed
		}
	case errors.Is(err, syscall.ECONNREFUSED):
		out.State = model.PairRefused
	case errors.As(err, &late) && late.Timeout(), errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		out.State = model.PairSilent
	case peer.Untrusted(err):
		out.State = model.PairUntrusted
	default:
		out.State = model.PairFailed
	}
	out.Reason = sanitize.Line(err.Error(), maxText)
	return out
}
