package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/netip"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/test/bench/report"
)

// reads measures, on the master's memory alone, what lists and inspection cost in CPU time.
func reads(log *slog.Logger) (*report.Table, error) {
	t := &report.Table{Title: "Reading netmaster's memory (CPU time)"}
	if err := lists(t, log); err != nil {
		return nil, err
	}
	return t, inspection(t, log)
}

// lists compares a list of 1,000 networks from the bytes that are kept with encoding the objects anew.
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
		c.View(func(v *catalog.View) { _, err = v.Texts(k) })
	})
	if err != nil {
		return err
	}
	anew := cpu(rounds, func() {
		c.View(func(v *catalog.View) { _, err = json.Marshal(v.Objects(k)) })
	})
	ratio := float64(kept) / float64(anew)
	t.Add(report.Row{What: "list 1,000 networks from kept bytes, against encoding them", Ours: report.Millis(kept), Peer: report.Millis(anew),
		Ratio: ratio, Target: "<= 0.20", Met: ratio <= 0.2})
	return err
}

// inspection is the state of a /16 whose every address an endpoint has.
func inspection(t *report.Table, log *slog.Logger) error {
	c := catalog.New()
	r := &record.Network{ID: "n.default", Tenant: "default", NetworkName: "n", PktTagType: "vlan", PktTag: 1, SubnetIP: "10.1.0.0", SubnetLen: 16,
		IPAddrRange: "10.1.0.0-10.1.255.255"}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	items := []store.Item{{Key: record.Networks + r.ID, Value: text, Revision: 1}}
	for i := 1; i < 65535; i++ {
		e := &record.Endpoint{ID: fmt.Sprintf("n.default-%064d", i), NetID: r.ID, EndpointID: fmt.Sprintf("%064d", i), ContainerID: fmt.Sprintf("%064d", i),
			IPAddress: netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}).String(), MacAddress: fmt.Sprintf("02:02:0a:01:%02x:%02x", i>>8, i&255), HomingHost: "h1"}
		if text, err = json.Marshal(e); err != nil {
			return err
		}
		items = append(items, store.Item{Key: record.Endpoints + e.ID, Value: text, Revision: 1})
	}
	c.Apply(store.Update{Full: true, Items: items, Revision: 1}, log)
	var size int
	took := cpu(20, func() {
		c.View(func(v *catalog.View) {
			n := v.Network(r.ID)
			o := oper.Network(v, n)
			size = len(o.AllocatedIPAddresses) + len(o.Endpoints)
		})
	})
	t.Add(report.Row{What: fmt.Sprintf("state of a full /16 (%d)", size), Ours: report.Millis(took), Target: "<= 5 ms", Met: took <= 5*time.Millisecond})
	return nil
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
