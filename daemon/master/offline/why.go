// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/httpserver"
)

// trace returns an error, because no switch can be asked.
func (r *Reader) trace(context.Context, string, model.TraceRequest) (model.Trace, error) {
	return model.Trace{}, errors.New("a support bundle has no switch to ask")
}

// why answers whether one end reaches another by the objects, provided that the switches held their flows at that time.
func (r *Reader) why(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
	if values := q.URL.Query(); values.Get("probe") != "" {
		r.routes.Refuse(w, q, r.refusal("no packet can be sent").Try("leave out --probe"))
		return
	}
	live := httpserver.NewAnswer()
	r.packets.ServeHTTP(live, q)
	var out model.Why
	if live.Status != http.StatusOK || json.Unmarshal(live.Body.Bytes(), &out) != nil {
		for name, values := range live.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(live.Status)
		_, _ = w.Write(live.Body.Bytes())
		return
	}
	r.conclude(&out)
	for i := range out.Each {
		r.conclude(&out.Each[i])
	}
	r.routes.Answer(w, q, out, 0, nil)
}

// conclude derives the verdict of an answer without switches: that of the objects, if the switches of both ends held all their flows.
func (r *Reader) conclude(w *model.Why) {
	if w.Intent.Verdict != model.VerdictAllowed && w.Intent.Verdict != model.VerdictDenied || w.Verdict != model.VerdictUnknown {
		return
	}
	var hosts, doubts []string
	for _, e := range []*model.WhyEnd{&w.From, &w.To} {
		if e.Host == "" || strings.Contains(strings.Join(hosts, " ")+" ", e.Host+" ") {
			continue
		}
		hosts = append(hosts, e.Host)
		if doubt := r.doubt(e.Host); doubt != "" {
			doubts = append(doubts, doubt)
		}
	}
	w.Forward, w.Reverse = model.WhyPath{Verdict: model.VerdictUnknown}, model.WhyPath{}
	for _, h := range hosts {
		text := "held all that it should, by its agent's comparison; it was not asked about this packet"
		if doubt := r.doubt(h); doubt != "" {
			text = doubt
		}
		w.Forward.Hops = append(w.Forward.Hops, model.WhyHop{Host: h, Verdict: model.VerdictUnknown, Text: strings.TrimPrefix(text, h+" ")})
	}
	w.Next = "netctl node ls -o wide"
	switch {
	case len(hosts) == 0:
		w.Text = "By the objects of " + r.time() + ": " + w.Intent.Text + ". No switch is known that has a part in it."
	case len(doubts) > 0:
		w.Text = "By the objects of " + r.time() + ": " + w.Intent.Text + ". But what the switches would have done is unknown: " + strings.Join(doubts, "; ") + "."
	default:
		w.Verdict = w.Intent.Verdict
		w.Text = w.Intent.Text + ", by the objects of " + r.time() + "; the switches of " + strings.Join(hosts, " and ") + " held then what follows from these, and cannot be asked."
		w.Next = "netctl flows " + hosts[0]
		if rule := w.Intent.In + w.Intent.Out; rule != "" && (w.Intent.In == "" || w.Intent.Out == "") {
			w.Next = "netctl history rule " + rule
		}
	}
}

// doubt returns why it is unknown whether a switch held its flows; "": it did.
func (r *Reader) doubt(host string) string {
	var drift model.Drift
	var status model.AgentStatus
	for file, to := range map[string]any{"drift.json": &drift, "status.json": &status} {
		text, ok := r.from.File(bundle.OfHost(host, file))
		if !ok {
			return fmt.Sprintf("%s is not in the bundle: %s", host, r.from.Manifest.Gaps("host "+host, file))
		}
		if err := json.Unmarshal(text, to); err != nil {
			return fmt.Sprintf("%s: %s cannot be read: %v", host, file, err)
		}
	}
	switch {
	case len(drift.Now) > 0:
		return fmt.Sprintf("%s differed from what it should hold in %d things, such as %s", host, len(drift.Now), drift.Now[0].What)
	case len(status.Errors) > 0:
		return fmt.Sprintf("%s refused %s: %s", host, status.Errors[0].Owner, status.Errors[0].Error)
	case !status.Ready:
		return fmt.Sprintf("%s waited for %s", host, strings.Join(status.Waiting, ", "))
	}
	return ""
}
