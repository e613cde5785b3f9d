// SPDX-License-Identifier: Apache-2.0

package releases

import (
	"bytes"
	"context"
	"iter"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// An agent of this build reads the messages of a release's netmaster, and has the same in its switch.
func TestStream(t *testing.T) { recordings(t, checkStream) }

func checkStream(t *testing.T, dir string) {
	var want map[string]int
	read(t, &want, dir, switchFile)
	got := switchOf(t, dir)
	for what, n := range want {
		if got[what] != n {
			t.Errorf("%s: got %d, want %d", what, got[what], n)
		}
	}
}

// switchOf returns the numbers of what an agent of this build has in its switch after the recorded messages.
func switchOf(t *testing.T, dir string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, streamFile))
	if err != nil {
		t.Fatal(err)
	}
	b := &state{s: ofnet.NewState(host)}
	e := desired.New(desired.Options{Bridge: b, Self: ofnet.Host{Label: host, VTEP: netip.MustParseAddr("192.0.2.1")}, Log: slog.New(slog.DiscardHandler)})
	if err := e.Run(t.Context(), desired.Following{Source: messages(text)}); err != nil {
		t.Fatal(err)
	}
	if bad := e.Malformed(); len(bad) > 0 {
		t.Errorf("malformed records: %q", bad)
	}
	s := b.s
	if len(pipeline.Default().CompileAll(s).Flows) == 0 {
		t.Error("the switch gets no flows")
	}
	return map[string]int{"tenants": s.Tenants.Len(), "segments": s.Segments.Len(), "groups": s.Groups.Len(), "rules": s.Rules.Len(), "attachments": s.Attachments.Len(),
		"services": s.Services.Len(), "endpoints": s.Endpoints.Len()}
}

// messages is a Source that ends after the recorded messages.
type messages []byte

// Follow yields each batch.
func (m messages) Follow(context.Context) iter.Seq2[channel.Batch, error] {
	return func(yield func(channel.Batch, error) bool) {
		for in := channel.NewReader(bytes.NewReader(m)); ; {
			b, err := in.Read()
			if err != nil || !yield(b, nil) {
				return
			}
		}
	}
}

// state is a Bridge without a switch.
type state struct{ s *ofnet.State }

func (b *state) Update(_ uint64, change func(*ofnet.State))         { change(b.s) }
func (*state) Rewind()                                              {}
func (*state) Wait(context.Context, uint64) error                   { return nil }
func (*state) Owner(ofnet.Key) (status bridge.OwnerStatus, ok bool) { return status, false }

func (*state) Outcome(context.Context, ofnet.Key) (status bridge.OwnerStatus, ok bool, err error) {
	return status, false, nil
}
