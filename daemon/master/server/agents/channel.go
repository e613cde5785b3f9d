// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/relay"
)

// maxMessage bounds one message of an agent, in bytes: the first one names the shards that it knows.
const maxMessage = 4 << 20

// RegisterChannel adds the channel by which agents receive what concerns their hosts. Every netmaster serves it, and not only the leader.
func RegisterChannel(r *rest.Router, from *relay.Relay, log *slog.Logger) {
	route := r.POST(channel.Path, func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		bound := &io.LimitedReader{R: q.Body, N: maxMessage}
		said := json.NewDecoder(bound)
		var hello channel.Hello
		if err := said.Decode(&hello); err != nil || hello.Host == "" {
			r.Refuse(w, q, model.Errorf(model.CodeInvalid, "host", "an agent says hello with a JSON object that names its host").Try("this path is for netplugin"))
			return
		}
		if err := auth.Of(q.Context()).Host(hello.Host, "host"); err != nil {
			r.Refuse(w, q, err)
			return
		}
		version, err := channel.Agree(&hello)
		if err != nil {
			r.Refuse(w, q, model.Errorf(model.CodeUnsupported, "protocol", "%v", err))
			return
		}
		out := http.NewResponseController(w)
		_ = out.SetReadDeadline(time.Time{}) // the agent continues to report its state
		s, err := from.Open(q.Context(), hello)
		if err != nil {
			if errors.Is(err, relay.ErrOffer) {
				w.Header().Set(channel.OfferHeader, "1")
			}
			r.Refuse(w, q, model.Errorf(model.CodeUnavailable, "", "%v", err).Try("ask another netmaster"))
			return
		}
		defer s.Close()
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set(channel.ProtocolHeader, strconv.Itoa(version))
		w.WriteHeader(http.StatusOK)
		go func() { // until the request ends
			for bound.N = maxMessage; ; bound.N = maxMessage {
				var report channel.Report
				if said.Decode(&report) != nil {
					return
				}
				s.Report(report)
			}
		}()
		for {
			messages := s.Next(q.Context())
			if messages == nil {
				return
			}
			for _, m := range messages {
				if _, err := w.Write(m); err != nil {
					log.Debug("an agent is no longer there", "host", hello.Host, "error", err)
					return
				}
			}
			if err := out.Flush(); err != nil {
				return
			}
		}
	}).Allow(ofAgents())
	route.Stream, route.Bound = true, "agents"
}
