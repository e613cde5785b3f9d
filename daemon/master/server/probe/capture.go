// SPDX-License-Identifier: Apache-2.0

package probe

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/why"
	"github.com/contiv/contiv/ofnet/capture"
)

// capture answers with the packets of endpoints, which their agents take.
func (s *prober) capture(w http.ResponseWriter, q *http.Request) error {
	who := auth.Of(q.Context())
	may := func(tenant string) error {
		return who.Check(rights.Right{Verb: rights.Capture, Kind: model.KindEndpoint(), Tenant: tenant})
	}
	if may("") != nil {
		if err := narrowed(q.URL.Query().Get("tenant"), may); err != nil {
			return err
		}
	}
	if err := s.narrows(q.URL.Query().Get("tenant"), q.URL.Query().Get("network")); err != nil {
		return err
	}
	taps, err := findTaps(s.why, q.URL.Query())
	for _, t := range taps {
		if err == nil {
			err = may(t.tenant)
		}
	}
	if err != nil {
		return hideNames(who, err)
	}
	ctx, cancel := context.WithTimeout(q.Context(), (model.CaptureSeconds+10)*time.Second)
	defer cancel()
	var streams []*capture.Stream
	for _, t := range taps {
		answer, err := s.peers.Call(ctx, http.MethodGet, t.host, "capture", t.ask.Encode())
		if err != nil {
			return err
		}
		defer func() { _ = answer.Body.Close() }()
		stream, err := capture.Open(limited{io.LimitReader(answer.Body, 2*model.CaptureBytes), answer.Body})
		if err != nil {
			return fmt.Errorf("the agent of %s: %w", t.host, err)
		}
		streams = append(streams, stream)
		w.Header().Add(model.CaptureHeader, stream.At)
	}
	write, media := capture.Join, model.CaptureFile
	if wantsLines(q.Header.Get("Accept")) {
		write, media = capture.Lines, model.CaptureLines
	}
	w.Header().Set("Content-Type", media)
	if err := write(w, http.NewResponseController(w).Flush, streams...); err != nil {
		if q.Context().Err() == nil {
			s.log.Warn("a capture ended before its time", "error", err)
		}
		panic(http.ErrAbortHandler) // so that the reader sees that the stream is not whole
	}
	return nil
}

// limited reads from one and closes the other.
type limited struct {
	io.Reader
	io.Closer
}

// wantsLines reports whether a client rather takes lines than a file: of the two, it names that first (RFC 9110, section 12.5.1).
func wantsLines(accept string) bool {
	for one := range strings.SplitSeq(accept, ",") {
		switch media, _, _ := mime.ParseMediaType(one); media {
		case model.CaptureLines, "text/*":
			return true
		case model.CaptureFile, "application/*", "*/*":
			return false
		}
	}
	return false
}

// tap is a place where packets are to be taken.
type tap struct {
	host   string
	tenant string
	ask    url.Values // of its agent
}

// findTaps returns the places of the packets of a query: at its end, or at both ends.
func findTaps(asker *why.Explainer, query url.Values) ([]tap, error) {
	both := false
	if text := query.Get("both"); text != "" {
		var err error
		if both, err = strconv.ParseBool(text); err != nil {
			return nil, model.Errorf(model.CodeInvalid, "both", "%q is neither true nor false", text).Try("say both=true, or leave it away")
		}
	}
	narrow := model.WhyRequest{Tenant: query.Get("tenant"), Network: query.Get("network")}
	of, err := asker.Find("of", query.Get("of"), "", narrow)
	if err != nil {
		return nil, err
	}
	if of.Kind != "endpoint" {
		return nil, model.Errorf(model.CodeInvalid, "of", "%s %s has no interface of Contiv", of.Kind, of.Object).Try("name a container or a group")
	}
	var peer model.WhyEnd
	if name := query.Get("peer"); name != "" {
		if peer, err = asker.Find("peer", name, of.Tenant, narrow); err != nil {
			return nil, err
		}
	} else if both {
		return nil, model.Errorf(model.CodeInvalid, "peer", "both ends are asked for, and the second is not named").Try("name it as peer")
	}
	host := query.Get("host")
	var out []tap
	if host == "" || host == of.Host {
		out = append(out, newTap(of, peer.Address, query))
	}
	if both && peer.Kind == "endpoint" && (host == "" || host == peer.Host) {
		out = append(out, newTap(peer, of.Address, query))
	}
	switch {
	case len(out) > 0:
		return out, nil
	case both:
		return nil, model.Errorf(model.CodeNotFound, "host", "no end is on host %s", host)
	}
	return nil, model.Errorf(model.CodeNotFound, "host", "endpoint %s is on host %s, not on %s", of.Object, of.Host, host)
}

// newTap returns the capture at an endpoint's interface, of only the packets to and from peer unless that is "".
func newTap(e model.WhyEnd, peer string, query url.Values) tap {
	filter := query.Get("filter")
	if peer != "" {
		if filter != "" {
			filter += " and "
		}
		filter += "host " + peer
	}
	return tap{e.Host, e.Tenant, url.Values{"endpoint": {e.Object}, "filter": {filter}, "packets": {query.Get("packets")}, "seconds": {query.Get("seconds")}}}
}
