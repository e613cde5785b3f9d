// SPDX-License-Identifier: Apache-2.0

package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/cni"
	"github.com/contiv/contiv/daemon/agent/dns"
	"github.com/contiv/contiv/daemon/agent/dockerhost"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/agent/underlay"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/hostlog"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/trust"
)

// Settings are those of an agent and of its parts.
type Settings struct {
	Host        string           // label
	Machine     string           // identity of the machine, as registration.Machine; "": what the machine says of itself
	ClusterFile incarnation.File // where the host notes which store its cluster has; "": nowhere
	Services    Switched         // carry out the services of Kubernetes
	Connections Switched         // keep a log of connections
	Observe     bool             // leave what others change in the switch

	Addresses  underlay.AddressSettings
	Switch     vswitch.Settings
	Uplinks    vswitch.UplinkSettings
	CNI        cni.Settings
	Docker     dockerhost.Settings
	DNS        dns.Settings
	Access     hostaccess.Settings
	Inspection inspect.Limits
}

// Switched is a flag that is on or off.
type Switched string

// Off reports whether it is off.
func (s Switched) Off() bool { return s == "off" }

// Register adds the flags.
func (s *Settings) Register(f *flags.Set) {
	f.String(&s.Host, "host", "HOST", "", "label of this host in the cluster (default: the kernel's host name)", "host-label")
	f.String((*string)(&s.ClusterFile), "cluster-file", "CLUSTER_FILE", "", "file in which this host notes which store its cluster has: netplugin follows no netmaster with another one; contiv init and contiv join name "+incarnation.DefaultPath)
	f.String(&s.Machine, "machine-id", "MACHINE_ID", "", "unique identity of this machine, which owns the host label and addresses (default: /etc/machine-id and the firmware's UUID)")
	f.String((*string)(&s.Services), "services", "SERVICES", "on", "carry out the services of Kubernetes: on, or off where another proxy does, such as kube-proxy")
	f.String((*string)(&s.Connections), "connection-log", "CONNECTION_LOG", "on", "keep a log of connections that open, close and are refused, which netctl observe shows: on or off")
	f.Bool(&s.Observe, "observe", "OBSERVE", "report changes of others in the switch, and repair them only on netctl drift --repair")
	s.Addresses.Register(f)
	s.Switch.Register(f)
	s.Uplinks.Register(f)
	s.CNI.Register(f)
	s.Docker.Register(f)
	s.DNS.Register(f)
	s.Access.Register(f)
	s.Inspection.Register(f)
}

// Check reads the values, fills in the host's label, and returns the first thing that is wrong. mode is who runs containers.
func (s *Settings) Check(mode string) error {
	for _, check := range []func() error{
		func() error { return flags.OneOf("services", string(s.Services), "on", "off") },
		func() error { return flags.OneOf("connection-log", string(s.Connections), "on", "off") },
		func() error { return s.Docker.Check(mode) },
		s.CNI.Check, s.DNS.Check, s.Access.Check, s.Inspection.Check, s.Switch.Check, s.Uplinks.Check, s.Addresses.Check,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	if s.Host == "" {
		name, err := os.Hostname()
		if err == nil && name == "" {
			err = errors.New("it is empty")
		}
		if err != nil {
			return fmt.Errorf("--host is required: the kernel has no host name (%w)", err)
		}
		s.Host = name
	}
	s.Machine = registration.Machine(s.Machine, s.Host)
	return nil
}

// Env is what an agent has around it.
type Env struct {
	Namespace   string // path of the network namespace of Open vSwitch; "": the agent's own
	Mode        string // who runs containers, as model.AgentStatus has it; an engine that is found counts before it
	FwdMode     string // as the operator expects it; the cluster's own setting counts
	InspectPort int    // at the control address, and at 127.0.0.1 for reading; 0: inspection is not served, nor at the socket beside CNI's
	Trust       *trust.Holder
	// Find finds URLs of netmasters while none of those that netmasters have sent is reached. It may block until ctx ends.
	Find          func(ctx context.Context) []string
	Master        Master // nil: netmasters
	Version       model.Version
	CNITimeout    time.Duration // for which a request of CNI waits for what the agent lacks
	SweepInterval time.Duration // 0: 30 s
	Traces        *tracing.Recorder
	Programmed    func() // called once, when the switch has all that was known at the start; nil: nothing is
	Log           *slog.Logger
	Recent        func() []byte // the last lines of the log; nil: they are not kept
	Logs          *hostlog.Logs // of this host; nil: they are not read
}
