// SPDX-License-Identifier: Apache-2.0

package main

import (
	"net"
	"net/http"
	"time"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/test/bench/harness"
)

// netmaster serves a snapshot to agents, and nothing after it. It returns its URL.
func netmaster(tb *harness.Stand, l *layout) string {
	shards, err := l.shards()
	if err != nil {
		tb.Fatal(err)
	}
	var snapshot []byte
	revision := uint64(0)
	for i := range shards {
		snapshot = append(snapshot, channel.EncodeUpdate(&shards[i])...)
		revision += uint64(len(shards[i].Items))
	}
	mark := channel.EncodeMark(channel.Mark{Revision: revision, Complete: revision}, nil)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	server := &http.Server{Protocols: channel.Protocols(), Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		out := http.NewResponseController(w)
		if _, err := w.Write(snapshot); err != nil {
			return
		}
		beat := time.NewTicker(time.Second)
		defer beat.Stop()
		for {
			if _, err := w.Write(mark); err != nil {
				return
			}
			if err := out.Flush(); err != nil {
				return
			}
			select {
			case <-beat.C:
			case <-q.Context().Done():
				return
			}
		}
	})}
	go func() { _ = server.Serve(listener) }() // until it is closed
	tb.Cleanup(func() { _ = server.Close() })
	return "http://" + listener.Addr().String()
}
