// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"net/http"
	"strconv"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/capture"
)

// Packets opens an interface to capture its packets.
type Packets func(ifname string) (capture.Source, error)

// capture streams the packets of an endpoint's interface as pcapng. The query names the endpoint by its state id; filter, packets and
// seconds restrict the capture.
func (o *Options) capture(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	filter, err := capture.ParseFilter(q.Get("filter"))
	if err != nil {
		text(w, http.StatusBadRequest, err.Error()+"; a filter is "+model.CaptureFilter+"\n")
		return
	}
	packets, ok := bounded(q.Get("packets"), model.CapturePackets, model.CapturePackets)
	seconds, good := bounded(q.Get("seconds"), 60, model.CaptureSeconds)
	if !ok || !good {
		text(w, http.StatusBadRequest, "packets and seconds are numbers, of 1 to "+strconv.Itoa(model.CapturePackets)+" and "+strconv.Itoa(model.CaptureSeconds)+"\n")
		return
	}
	name := ""
	for _, a := range o.Attach.List() {
		if a.StateID == q.Get("endpoint") {
			name = a.Port.Name
		}
	}
	if name == "" {
		text(w, http.StatusBadRequest, "endpoint "+strconv.Quote(q.Get("endpoint"))+" is not attached here\n")
		return
	}
	src, err := o.Packets(name)
	if err != nil {
		text(w, http.StatusServiceUnavailable, err.Error()+"\n")
		return
	}
	w.Header().Set("Content-Type", model.CaptureFile)
	at := capture.Interface(name, o.called(q.Get("endpoint"))+" on host "+o.Status().Host)
	limits := capture.Limits{Packets: packets, Bytes: model.CaptureBytes, For: time.Duration(seconds) * time.Second}
	if err := capture.Write(r.Context(), src, at, filter, limits, w, http.NewResponseController(w).Flush); err != nil {
		panic(http.ErrAbortHandler) // shows the reader that the stream is incomplete
	}
}

// called returns an endpoint's display name: its identity, and the runtime's name of its container if that differs.
func (o *Options) called(id string) string {
	if name := o.container(id); name != "" {
		return "endpoint " + id + ", container " + name + ","
	}
	return "endpoint " + id
}

// container returns the runtime's name of an endpoint's container; "" if it equals the endpoint's name, or is unknown.
func (o *Options) container(endpoint string) string {
	name := o.Called(endpoint)
	if identity.Ends(endpoint, name) {
		return ""
	}
	return name
}

// bounded parses a number from 1 to most; "" is otherwise.
func bounded(text string, otherwise, most int) (int, bool) {
	if text == "" {
		return otherwise, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 1 && n <= most
}
