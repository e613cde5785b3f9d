package inspect

import (
	"testing"

	"github.com/contiv/contiv/daemon/record"
)

// Packets are said to be of an endpoint, and of its container where that is called otherwise.
func TestCaptureNamesContainers(t *testing.T) {
	named := func(id, name string) record.Endpoint { return record.Endpoint{ID: inNetwork(id), CommonName: name} }
	o := Options{Driver: func() Driver {
		return Driver{Endpoints: []record.Endpoint{named("c1", "c1"), named("5e1f", "web"), named("c3", "")}}
	}}
	for id, want := range map[string]string{"c1": "", "5e1f": ", container web,", "c3": "", "c4": ""} {
		of := inNetwork(id).String()
		if got := o.called(of); got != "endpoint "+of+want {
			t.Errorf("%s: want %q, got %q", id, "endpoint "+of+want, got)
		}
	}
}
