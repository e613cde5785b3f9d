// SPDX-License-Identifier: Apache-2.0

package probe_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/ofnet/capture"
)

// packets are left empty frames of an endpoint's interface.
type packets struct{ left int }

func (p *packets) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if p.left == 0 {
		return nil, gopacket.CaptureInfo{}, io.EOF
	}
	p.left--
	data := make([]byte, 60)
	return data, gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(data), Length: len(data)}, nil
}

func (p *packets) Close() error { return nil }

// capturers are agents that take packets: two of each endpoint, of one on the host "broken" one, and then the agent dies. They note
// what they are asked for.
func capturers(t *testing.T, m *mastertest.Master, asked chan<- string, hosts ...string) {
	t.Helper()
	for _, host := range hosts {
		agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			ask := q.URL.Query()
			asked <- fmt.Sprintf("%s %s [%s] %s %s", host, ask.Get("endpoint"), ask.Get("filter"), ask.Get("packets"), ask.Get("seconds"))
			if q.URL.Path != "/inspect/capture" || ask.Get("filter") == "nonsense" {
				http.Error(w, `"nonsense" is no condition`, http.StatusBadRequest)
				return
			}
			src := &packets{2}
			if host == "broken" {
				src.left = 1
			}
			err := capture.Write(q.Context(), src, capture.Interface("vv0", "endpoint "+ask.Get("endpoint")+" on host "+host), capture.Filter{},
				capture.Limits{Packets: 2, Bytes: 1 << 20, For: time.Hour}, w, http.NewResponseController(w).Flush)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
		}))
		t.Cleanup(agent.Close)
		m.Registered(t, host, agent.Listener.Addr().String())
	}
}

func TestCapture(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.Networks(), &model.Network{TenantName: "default", NetworkName: "blue", Subnet: "10.1.1.0/24", Encap: "vxlan"})
	for _, e := range []struct{ id, host string }{{"web", "h1"}, {"db", "h2"}, {"lost", "broken"}, {"single", "h9"}} {
		_, _, err := m.CreateEndpoint(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: e.id, ContainerID: e.id,
			ConfigEP: model.EndpointConfigRequest{Container: e.id, Host: e.host}})
		if err != nil {
			t.Fatal(err)
		}
	}
	asked := make(chan string, 10)
	capturers(t, m, asked, "h1", "h2", "broken")
	const web, db, lost = "endpoint default:blue:web on host h1", "endpoint default:blue:db on host h2", "endpoint default:blue:lost on host broken"
	line := func(at string) string { return "00:00:01.000000 " + at + ": Ethernet, 60 bytes\n" }
	rows := []struct {
		name   string
		ask    model.CaptureRequest
		at     []string // where packets are taken
		asked  []string // what agents are asked for
		want   []string // lines, in any order
		broken bool
		err    string
	}{
		{name: "one end", ask: model.CaptureRequest{Of: "web", Packets: 2, Seconds: 9}, at: []string{web}, asked: []string{"h1 default:blue:web [] 2 9"}, want: []string{line(web), line(web)}},
		{name: "to one other", ask: model.CaptureRequest{Of: "web", Peer: "db", Filter: "tcp"}, at: []string{web}, asked: []string{"h1 default:blue:web [tcp and host 10.1.1.2]  "},
			want: []string{line(web), line(web)}},
		{name: "both ends", ask: model.CaptureRequest{Of: "web", Peer: "db", Both: true, Filter: "tcp"}, at: []string{web, db},
			asked: []string{"h1 default:blue:web [tcp and host 10.1.1.2]  ", "h2 default:blue:db [tcp and host 10.1.1.1]  "}, want: []string{line(db), line(db), line(web), line(web)}},
		{name: "the second is no container", ask: model.CaptureRequest{Of: "web", Peer: "8.8.8.8", Both: true}, at: []string{web},
			asked: []string{"h1 default:blue:web [host 8.8.8.8]  "}, want: []string{line(web), line(web)}},
		{name: "the second is on another host", ask: model.CaptureRequest{Of: "web", Peer: "db", Both: true, Host: "h1"}, at: []string{web},
			asked: []string{"h1 default:blue:web [host 10.1.1.2]  "}, want: []string{line(web), line(web)}},
		{name: "the first is on another host", ask: model.CaptureRequest{Of: "web", Peer: "db", Both: true, Host: "h2"}, at: []string{db},
			asked: []string{"h2 default:blue:db [host 10.1.1.1]  "}, want: []string{line(db), line(db)}},
		{name: "one breaks off", ask: model.CaptureRequest{Of: "web", Peer: "lost", Both: true}, at: []string{web, lost},
			asked: []string{"h1 default:blue:web [host 10.1.1.3]  ", "broken default:blue:lost [host 10.1.1.1]  "}, want: []string{line(lost), line(web), line(web)}, broken: true},
		{name: "none is on that host", ask: model.CaptureRequest{Of: "web", Peer: "db", Both: true, Host: "h3"}, err: "no end is on host h3"},
		{name: "it is not on that host", ask: model.CaptureRequest{Of: "web", Host: "h2"}, err: "endpoint default:blue:web is on host h1, not on h2"},
		{name: "no container", ask: model.CaptureRequest{Of: "8.8.8.8", Peer: "web", Both: true}, err: "address 8.8.8.8 has no interface of Contiv"},
		{name: "absent", ask: model.CaptureRequest{Of: "web", Peer: "absent", Both: true}, err: `nothing is called "absent"`},
		{name: "no second", ask: model.CaptureRequest{Of: "web", Both: true}, err: "the second is not named"},
		{name: "no agent", ask: model.CaptureRequest{Of: "web", Peer: "single", Both: true}, asked: []string{"h1 default:blue:web [host 10.1.1.4]  "}, err: `no agent of host "h9" is registered`},
		{name: "no filter", ask: model.CaptureRequest{Of: "web", Filter: "nonsense"}, asked: []string{"h1 default:blue:web [nonsense]  "}, err: `the agent of h1: "nonsense" is no condition`},
	}
	for _, r := range rows {
		for _, r.ask.Lines = range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, lines %t", r.name, r.ask.Lines), func(t *testing.T) {
				got, err := m.Capture(t.Context(), r.ask)
				for _, want := range r.asked {
					if got := <-asked; got != want {
						t.Errorf("want the agent asked %q, got %q", want, got)
					}
				}
				if r.err != "" {
					if err == nil || !strings.Contains(err.Error(), r.err) {
						t.Errorf("want an error with %q, got %v", r.err, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = got.Close() }()
				text, err := io.ReadAll(got)
				if !slices.Equal(got.At, r.at) || r.broken != errors.Is(err, io.ErrUnexpectedEOF) || !r.broken && err != nil {
					t.Errorf("want packets of %q, got of %q, %v", r.at, got.At, err)
				}
				if !r.ask.Lines {
					text = linesOf(t, text)
				}
				lines := slices.Sorted(strings.Lines(string(text)))
				if want := r.want; r.ask.Lines && !slices.Equal(lines, want) || len(lines) != len(want) {
					t.Errorf("want %q, got %q", want, lines)
				}
			})
		}
	}
}

// linesOf are the lines of a file.
func linesOf(t *testing.T, file []byte) []byte {
	t.Helper()
	s, err := capture.Open(io.NopCloser(bytes.NewReader(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := capture.Lines(&out, func() error { return nil }, s); err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	return out.Bytes()
}
