// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"time"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/alert"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/history"
	masterkube "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/daemon/master/listener"
	"github.com/contiv/contiv/daemon/master/offline"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/storage"
)

// config is netmaster's command line: the settings of each of its parts.
type config struct {
	*flags.Set
	flags.Common
	Listener   listener.Settings
	Storage    storage.Settings
	History    history.Settings
	Admit      admit.Settings
	Endpoints  endpoint.Settings
	Kubernetes masterkube.Settings
	ACI        aci.Settings
	Audit      audit.Settings
	Alerts     alert.Settings
	Limits     server.Limits
	Bundle     offline.Settings
	PluginName string // has no effect; the original has it
	LeaderTTL  string
	Owner      string // the user who gets the files that netmaster writes
	ttl        time.Duration
}

func (c *config) register(s *flags.Set) {
	for _, settings := range []interface{ Register(*flags.Set) }{&c.Common, &c.Listener, &c.Storage, &c.History, &c.Admit, &c.Endpoints,
		&c.Kubernetes, &c.ACI, &c.Audit, &c.Alerts, &c.Limits, &c.Bundle} {
		settings.Register(s)
	}
	s.String(&c.PluginName, "name", "PLUGIN_NAME", "netplugin", "name of the Docker driver", "plugin-name")
	s.String(&c.LeaderTTL, "leader-ttl", "LEADER_TTL", cluster.DefaultTTL.String(), "how long the lock outlives a silent leader")
	s.String(&c.Owner, "owner", "OWNER", "", "give the files that netmaster writes to this user, and exit: a unit does so before it starts netmaster as that user")
	s.WithoutKeys("owner")
}

// parse reads the command line and the environment, and checks them for a netmaster of a cluster. An error names the flag.
func parse(args []string, env flags.Env, out io.Writer) (*config, error) {
	c := newConfig(out)
	if err := c.Set.Parse(args, env); err != nil || c.Version || c.Bundle.File != "" {
		return c, err
	}
	return c, c.Explain(c.check())
}

// newConfig returns a configuration without values. Help goes to out.
func newConfig(out io.Writer) *config {
	c := &config{Set: flags.New("netmaster", "CONTIV_NETMASTER_", out)}
	c.register(c.Set)
	return c
}

// check validates the configuration, and sets what follows from several settings.
func (c *config) check() error {
	c.Store.Embedded = c.Storage.Runs()
	common := c.Common.Check()
	if c.Mode == flags.ModeAuto && c.Kubernetes.API.Wanted() {
		c.Mode = flags.ModeKubernetes
	}
	c.Admit.ClusterMode, c.Admit.FwdMode, c.Endpoints.ClusterMode = c.Mode, c.FwdMode, c.Mode
	return flags.All(
		func() error { return common },
		func() error { return c.Admit.Check(c.Kubernetes.API.Wanted()) }, c.checkTTL, c.History.Check, c.Endpoints.Check, c.ACI.Check, c.Alerts.Check,
		c.Listener.Check, c.Limits.Check, c.Kubernetes.Check,
		func() error { return c.Storage.Check(c.Trust.Scheme()) },
		func() error { return c.Storage.CheckAgreement(c.Kubernetes.API.Wanted()) },
	)
}

func (c *config) checkTTL() (err error) {
	if c.ttl, err = time.ParseDuration(c.LeaderTTL); err != nil || c.ttl < time.Second {
		return fmt.Errorf("--leader-ttl %s: it is a duration of at least 1s", c.LeaderTTL)
	}
	return nil
}
