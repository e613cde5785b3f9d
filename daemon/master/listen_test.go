// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// freePort is a TCP port that no one has just now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port
}

// answers reports whether a netmaster is alive at an address.
func answers(ctx context.Context, address string) bool {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/healthz", nil)
	if err != nil {
		return false
	}
	answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(q)
	if err != nil {
		return false
	}
	_ = answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// NWC-08: a restarted netmaster listens at its new addresses, and nowhere else; the control address is a further one.
func TestNWC_08_ListenURL(t *testing.T) {
	first, second, control := freePort(t), freePort(t), freePort(t)
	local := func(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }
	for _, x := range []struct {
		args []string
		at   []int
		not  []int
	}{
		{[]string{fmt.Sprintf("--listen-url=0.0.0.0:%d", first)}, []int{first}, []int{second, control}},
		{[]string{fmt.Sprintf("--listen-url=0.0.0.0:%d", second)}, []int{second}, []int{first, control}},
		{[]string{fmt.Sprintf("--listen-url=0.0.0.0:%d", second), "--control-url=" + local(control)}, []int{second, control}, []int{first}},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var out, errs bytes.Buffer
		done := make(chan int, 1)
		go func() {
			args := append([]string{"--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge", "--etcd", "http://127.0.0.1:1", "--insecure"}, x.args...)
			done <- run(ctx, args, nil, strings.NewReader(""), &out, &errs)
		}()
		for _, port := range x.at {
			until(t, fmt.Sprintf("%v answers at port %d", x.args, port), func() bool { return answers(ctx, local(port)) })
		}
		for _, port := range x.not {
			if answers(ctx, local(port)) {
				t.Errorf("%v: port %d answers too", x.args, port)
			}
		}
		cancel()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Fatalf("%v: netmaster does not end", x.args)
		}
	}
}
