// SPDX-License-Identifier: Apache-2.0

package supportbundle

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/sanitize"
	"github.com/contiv/contiv/trust"
)

// LogsPath is where a netmaster shows the logs of its own host, and below it those of any host.
const LogsPath = "/api/v1/logs"

const (
	maxLogs    = 20 << 20 // bytes of an answer
	maxLogLine = 8 << 10  // bytes
	agentLogs  = "/inspect/logs"
)

// registerLogs adds the routes of logs.
func (b *Bundling) registerLogs(r *rest.Router) {
	r.Read(LogsPath, func(q *http.Request, _ httprouter.Params) (any, error) {
		return b.own(q.URL.Query())
	}).Allow(rest.Needs(rights.Bundle, trust.Master)).Audit = rest.Audit{Verb: "log", Path: true}
	shown := r.Read(LogsPath+"/:host", func(q *http.Request, p httprouter.Params) (any, error) {
		return b.logs(q.Context(), p.ByName("host"), q.URL.Query())
	}).Allow(rest.Needs(rights.Bundle))
	shown.Bound, shown.Audit = "traces", rest.Audit{Verb: "log", Path: true} // one event for all requests of one who follows
}

// own returns the lines of this netmaster's host.
func (b *Bundling) own(q url.Values) (out model.LogLines, err error) {
	if b.Logs == nil {
		return out, model.Errorf(model.CodeNotFound, "", "this netmaster keeps no lines of its log")
	}
	most, _ := strconv.Atoi(q.Get("lines")) // what is no number is the default
	if out, err = b.Logs.Read(q.Get("of"), q.Get("after"), most); err != nil {
		return out, err
	}
	b.cleanLines(&out)
	return out, nil
}

// place is where the logs of a host can be read.
type place struct{ agent, master string } // addresses; "": none is known

// logs returns the lines of a part of a host: of the part itself, or what it has left, of the other daemon of the host. It blocks until one has
// answered, at most twice peer.AskLimit.
func (b *Bundling) logs(ctx context.Context, host string, q url.Values) (out model.LogLines, err error) {
	part := cmp.Or(q.Get("of"), model.LogNetplugin)
	if !slices.Contains(model.LogParts(), part) {
		return out, model.Errorf(model.CodeInvalid, "of", "of: got %.40q, want one of %s", part, strings.Join(model.LogParts(), ", "))
	}
	at, err := b.place(host)
	if err != nil {
		return out, err
	}
	query := url.Values{"of": {part}, "after": {q.Get("after")}, "lines": {q.Get("lines")}}
	agent := func() (model.LogLines, error) {
		return b.fetchLines(ctx, trust.Agent, "the agent", at.agent, agentLogs+"?"+query.Encode())
	}
	master := func() (model.LogLines, error) {
		if at.master == b.Own {
			return b.own(query)
		}
		return b.fetchLines(ctx, trust.Master, "the netmaster", at.master, LogsPath+"?"+query.Encode())
	}
	ask := []func() (model.LogLines, error){agent}
	switch part {
	case model.LogNetplugin:
		ask = append(ask, master)
	case model.LogNetmaster:
		ask = []func() (model.LogLines, error){master, agent}
	}
	var why []string
	for _, one := range ask {
		if out, err = one(); err == nil {
			b.cleanLines(&out)
			return out, nil
		}
		why = append(why, err.Error())
	}
	return out, model.Errorf(model.CodeNotReady, "host", "nobody on host %s shows the log of %s: %s", host, part, strings.Join(why, "; ")).
		Try("read it on the host, with journalctl or in /var/log")
}

// place finds the daemons of a host.
func (b *Bundling) place(host string) (at place, err error) {
	b.Catalog.View(func(v *catalog.View) {
		h := v.Host(host)
		if h == nil {
			err = model.Errorf(model.CodeNotFound, "host", "no host is called %q", host).Try("netctl node ls lists the hosts")
			return
		}
		if h.Control.IsValid() {
			at.agent = h.Control.String()
		}
	})
	if err != nil {
		return at, err
	}
	for _, m := range append(b.Peers.Masters(), b.Own) {
		if peer.Host(m) == peer.Host(at.agent) {
			at.master = m
		}
	}
	return at, nil
}

// fetchLines requests lines of a daemon.
func (b *Bundling) fetchLines(ctx context.Context, role trust.Role, called, address, path string) (out model.LogLines, err error) {
	if address == "" {
		return out, fmt.Errorf("%s: none is registered there", called)
	}
	text, err := b.Peers.Fetch(ctx, role, address, path, maxLogs, peer.AskLimit)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return out, fmt.Errorf("%s at %s: %w", called, address, err)
	}
	return out, nil
}

// cleanLines takes secrets and letters of control out of lines.
func (b *Bundling) cleanLines(out *model.LogLines) {
	c := b.cleaner()
	for i, line := range out.Lines {
		out.Lines[i] = sanitize.Line(string(c.text([]byte(line))), maxLogLine)
	}
	if out.Lines == nil {
		out.Lines = []string{}
	}
	out.From, out.Next = sanitize.Line(out.From, 300), sanitize.Line(out.Next, 40)
}
