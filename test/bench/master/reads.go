// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/test/bench/report"
)

// reads measures the CPU time of lists, only from the master's memory.
func reads(log *slog.Logger) (*report.Table, error) {
	t := &report.Table{Title: "Reading netmaster's memory (CPU time)"}
	return t, lists(t, log)
}

// lists compares a list of 1,000 networks from the bytes that are kept with encoding the objects again.
func lists(t *report.Table, log *slog.Logger) error {
	c := catalog.New()
	var items []store.Item
	k := model.KindNetwork()
	for i := range 1000 {
		n := &model.Network{TenantName: "default", NetworkName: fmt.Sprintf("net%d", i), Encap: "vxlan", NwType: "data",
			Subnet: fmt.Sprintf("10.%d.%d.0/24", i/256, i%256), Gateway: fmt.Sprintf("10.%d.%d.254", i/256, i%256)}
		text, err := json.Marshal(n)
		if err != nil {
			return err
		}
		items = append(items, store.Item{Key: record.Objects + k.Name + "/" + n.ObjectKey(), Value: text, Revision: 1})
	}
	c.Apply(store.Update{Full: true, Items: items, Revision: 1}, log)
	const rounds = 200
	var err error
	kept := cpu(rounds, func() {
		c.View(func(v *catalog.View) {
			for key := range v.KeysAfter(k, "") {
				if _, failed := v.Text(k, key); failed != nil {
					err = failed
				}
			}
		})
	})
	if err != nil {
		return err
	}
	encoded := cpu(rounds, func() {
		c.View(func(v *catalog.View) { _, err = json.Marshal(v.Objects(k)) })
	})
	ratio := float64(kept) / float64(encoded)
	t.Add(report.Row{What: "list 1,000 networks from kept bytes, against encoding them", Ours: report.Millis(kept), Peer: report.Millis(encoded),
		Ratio: ratio, Target: "<= 0.20", Met: ratio <= 0.2})
	return err
}

// cpu is the CPU time of this process, user and system, that one of n runs of do takes.
func cpu(n int, do func()) time.Duration {
	do()
	before := spent()
	for range n {
		do()
	}
	return (spent() - before) / time.Duration(n)
}

func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for this process
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
