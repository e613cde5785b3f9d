package enginetest

import (
	"context"
	"encoding/json"
	"net"
	"strconv"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Register has the agent of a host registered at an address "host:port", as the agent itself does, and waits until that is known.
func (w *World) Register(tb testing.TB, host, address string) {
	tb.Helper()
	ip, text, err := net.SplitHostPort(address)
	if err != nil {
		tb.Fatal(err)
	}
	port, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(err)
	}
	instance := record.Service{ServiceName: record.ServiceAgent, HostAddr: ip, Port: port, Hostname: host}
	value, err := json.Marshal(instance)
	if err != nil {
		tb.Fatal(err)
	}
	tx := &store.Tx{}
	tx.Put(instance.Key(), value)
	rev, err := w.Store.Commit(context.Background(), tx)
	if err != nil {
		tb.Fatal(err)
	}
	if err := w.Catalog.Wait(context.Background(), rev); err != nil {
		tb.Fatal(err)
	}
}
