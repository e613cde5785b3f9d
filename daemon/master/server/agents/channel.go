package agents

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/relay"
)

// helloMost bounds what an agent says first, in bytes: it names the shards that it knows.
const helloMost = 4 << 20

// RegisterChannel adds the channel by which agents are told what concerns their hosts. Every netmaster serves it, whoever leads.
func RegisterChannel(r *rest.Router, from *relay.Relay, log *slog.Logger) {
	route := r.POST(channel.Path, func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		var hello channel.Hello
		if err := json.NewDecoder(http.MaxBytesReader(w, q.Body, helloMost)).Decode(&hello); err != nil || hello.Host == "" {
			r.Refuse(w, q, model.Errorf(model.CodeInvalid, "host", "an agent says hello with a JSON object that names its host").Try("this path is for netplugin"))
			return
		}
		out := http.NewResponseController(w)
		_ = out.SetReadDeadline(time.Time{}) // the request has been read
		s, err := from.Open(q.Context(), hello)
		if err != nil {
			r.Refuse(w, q, model.Errorf(model.CodeUnavailable, "", "%v", err).Try("ask another netmaster"))
			return
		}
		defer s.Close()
		w.Header().Set("Content-Type", "application/x-protobuf")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusOK)
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
	})
	route.Stream, route.Bound = true, "agents"
}
