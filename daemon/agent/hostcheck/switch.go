// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/check"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// switchTimeout is the timeout of a request to Open vSwitch. A second attempt distinguishes a busy process from a stopped one.
const switchTimeout = 900 * time.Millisecond

// Switch looks whether Open vSwitch does its work.
type Switch struct {
	Host     string
	OpenFlow string      // unix socket of the bridge
	OVSDB    string      // unix socket of the database
	Missing  func() bool // there is no bridge, which is another finding
	Waits    func() bool // the database has Open vSwitch wait for flows to be restored
	// Started returns how long after the machine's boot ovs-vswitchd started.
	Started func() (time.Duration, error)
}

// Check looks every two seconds.
func (s *Switch) Check() check.Check {
	return check.Check{Name: "switch", Interval: 2 * time.Second, Look: s.look}
}

// errUpcall says that the connection answers, and the way of packets to it does not.
var errUpcall = errors.New("a packet sent to the datapath has not come back")

func (s *Switch) look(ctx context.Context) []model.Finding {
	failed := make(chan error, 1)
	go func() { failed <- twice(ctx, func(ctx context.Context) error { return ovsdb.Ping(ctx, s.OVSDB) }) }()
	err := twice(ctx, s.upcall)
	var out []model.Finding
	wrong := func(code model.FindingCode, evidence, remedy string) {
		out = append(out, model.Finding{Code: code, Severity: model.SeverityError, Object: "host/" + s.Host, Evidence: evidence, Remedy: remedy, Next: "netctl node ls"})
	}
	switch {
	case err != nil && s.Missing(): // ovs-vswitchd serves no socket of a bridge that it does not have
	case waiting(err) && s.Waits():
		answers := "answers at " + s.OpenFlow + ", but " + err.Error()
		if !errors.Is(err, errUpcall) {
			answers = "answers late or not at " + s.OpenFlow + " (" + err.Error() + ")"
		}
		wrong(model.FindingSwitchUpcall, "ovs-vswitchd "+answers+": other_config:"+ovsdb.RestoreWait+"=true in its database has it wait for flows that someone restores",
			"unless Open vSwitch is being restarted just now: ovs-vsctl remove Open_vSwitch . other_config "+ovsdb.RestoreWait+"; a restart of ovs-vswitchd does not help")
	case errors.Is(err, errUpcall):
		wrong(model.FindingSwitchUpcall, "ovs-vswitchd answers at "+s.OpenFlow+", but "+err.Error()+s.early(), "restart ovs-vswitchd, and look at its log: no first packet of a connection is handled")
	case err != nil:
		wrong(model.FindingSwitchSilent, "ovs-vswitchd does not answer at "+s.OpenFlow+": "+err.Error(), "start or continue ovs-vswitchd on the host")
	}
	if err := <-failed; err != nil {
		wrong(model.FindingOVSDBSilent, "ovsdb-server does not answer at "+s.OVSDB+": "+err.Error(), "start or continue ovsdb-server on the host: no container can be attached")
	}
	return out
}

// waiting reports whether an error may be that of a switch which waits for flows to be restored: until then ovs-vswitchd looks at its connections only when
// something else wakes it, every few seconds.
func waiting(err error) bool {
	late, ok := errors.AsType[net.Error](err)
	return errors.Is(err, errUpcall) || ok && late.Timeout()
}

// earlyStart is the time after the boot before which some releases of Open vSwitch have not counted processors yet (count_cpu_cores of
// lib/ovs-thread.c: 3.1 does so from ten seconds on, later releases at once), with a margin.
const earlyStart = 12 * time.Second

// early explains a switch without threads for first packets by its start soon after the boot; "" if it started later, or that is unknown.
func (s *Switch) early() string {
	after, err := s.Started()
	if err != nil || after >= earlyStart {
		return ""
	}
	return fmt.Sprintf("; it started %.1f s after the boot, when some releases of Open vSwitch, such as 3.1, have not counted the processors yet and create no threads for first packets", after.Seconds())
}

// twice calls ask with switchTimeout for each, until it succeeds, or ctx ends, which says nothing of the one asked.
func twice(ctx context.Context, ask func(context.Context) error) (err error) {
	for range 2 {
		limited, cancel := context.WithTimeout(ctx, switchTimeout)
		err = ask(limited)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}

// upcall has a packet go to the datapath and back: the bridge's actions for it are to hand it to this program.
func (s *Switch) upcall(ctx context.Context) error {
	frame := probe()
	back := make(chan struct{}, 1)
	c, err := openflow.Dial(ctx, s.OpenFlow, openflow.Options{PacketIn: func(in *openflow.PacketIn) {
		if slices.Equal(in.Data, frame) {
			select {
			case back <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	if _, err := c.Request(ctx, &openflow.Echo{}); err != nil {
		return fmt.Errorf("echo: %w", err)
	}
	if err := c.Send(&openflow.PacketOut{InPort: flow.PortController, Actions: flow.Do(flow.Output(flow.PortController)), Data: frame}); err != nil {
		return err
	}
	select {
	case <-back:
		return nil
	case <-ctx.Done():
		return errUpcall
	}
}

// probe is a frame that no one else has: of the experimental EtherType (IEEE 802), to no one.
func probe() []byte {
	frame := make([]byte, 60)
	copy(frame[0:], []byte{2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5})
	_, _ = rand.Read(frame[14:]) // it never fails
	return frame
}
