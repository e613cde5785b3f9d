package main

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/logging"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/history"
	masterkube "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/daemon/master/listener"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/offline"
	"github.com/contiv/contiv/daemon/master/server"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/resources"
	"github.com/contiv/contiv/trust"
)

// config is netmaster's command line.
type config struct {
	flags.Common
	Listener        listener.Settings
	Infra           string
	HostAccess      string
	PluginName      string
	Audit           audit.Settings
	LeaderTTL       string
	ACIGateway      string // URL
	ttl             time.Duration
	HistoryLimit    int
	HistoryAge      string
	Quarantine      string
	PodTenants      bool
	Compaction      string
	compaction      time.Duration
	keep            history.Keep
	quarantine      *time.Duration // nil: not said
	Limits          server.Limits
	Storage         storage.Settings
	Snapshots       snapshotConfig
	Bundle          offline.Settings
	Kubernetes      kube.Config
	PodAccount      string
	podSubnets      []string
	BalancerNetwork string
	pace            *resources.Pace // of processors; nil: all
	pods            []netip.Prefix
	holder          *trust.Holder // nil: everything is plain HTTP
	recent          *logging.Recent
}

func (c *config) register(s *flags.Set) {
	c.Common.Register(s)
	c.Audit.Register(s)
	c.Listener.Register(s)
	c.Bundle.Register(s)
	c.Snapshots.register(s)
	c.Storage.Register(s)
	s.String(&c.Infra, "infra", "INFRA", "default", "fabric of a new cluster: default or aci", "infra-type")
	s.String(&c.HostAccess, "host-access", "HOST_ACCESS", "", "how hosts and containers of a new cluster meet: by private addresses of each host (private), or by the containers' own (direct), without which Kubernetes' probes and services of hosts do not work (default: private, or direct where Kubernetes is read)")
	s.String(&c.PluginName, "name", "PLUGIN_NAME", "netplugin", "name of the Docker driver", "plugin-name")
	s.String(&c.ACIGateway, "aci-gateway", "ACI_GATEWAY", aci.DefaultURL, "where the ACI gateway takes application profiles, when the fabric is aci")
	s.String(&c.LeaderTTL, "leader-ttl", "LEADER_TTL", cluster.DefaultTTL.String(), "how long the lock outlives a silent leader")
	s.Int(&c.HistoryLimit, "history-limit", "HISTORY_LIMIT", history.DefaultRecords, "how many transactions the history keeps")
	s.String(&c.HistoryAge, "history-age", "HISTORY_AGE", history.DefaultAge.String(), "how long the history keeps them")
	s.String(&c.Quarantine, "quarantine", "QUARANTINE", "", "how long an address is not given again after its endpoint is gone, where the global object does not say it; 0s: at once (default: 30s for pods, 0s for others)")
	s.Bool(&c.PodTenants, "pod-label-tenants", "POD_LABEL_TENANTS", "let a pod's label io.contiv.tenant enter any tenant, as the original did: whoever may make pods in some namespace is in every tenant then")
	s.String(&c.Compaction, "store-compaction", "STORE_COMPACTION", maintenance.DefaultHistory.String(), "how long an etcd beside netmaster keeps its history of changes when no one else has it compacted; 0s: netmaster never does")
	s.Int(&c.Limits.Watches, "max-watches", "MAX_WATCHES", server.DefaultWatches, "how many watches are open at once; one client has a quarter")
	s.Int(&c.Limits.Captures, "max-captures", "MAX_CAPTURES", server.DefaultCaptures, "how many captures run at once; one client has a quarter")
	s.Int(&c.Limits.Agents, "max-agents", "MAX_AGENTS", server.DefaultAgents, "how many agents this netmaster tells what concerns their hosts; one address has a quarter")
	s.Int(&c.Limits.Strangers, "max-strangers", "MAX_STRANGERS", server.DefaultStrangers, "how many logins and joins of who has proved nothing yet are under way at once; one client has a quarter")
	s.Int(&c.Limits.Traces, "max-traces", "MAX_TRACES", server.DefaultTraces, "how many traces and inspections of agents run at once; one client has a quarter")
	s.Int(&c.Limits.Bundles, "max-bundles", "MAX_BUNDLES", server.DefaultBundles, "how many support bundles are written at once; one client has a quarter")
	s.String(&c.Kubernetes.Kubeconfig, "kubeconfig", "KUBECONFIG", "", "how to reach Kubernetes, whose objects the leading netmaster reads")
	s.String(&c.Kubernetes.Server, "kubernetes-api", "KUBERNETES_API", "", "the API server's own URL, not that of its service: instead of the kubeconfig's, or with the service account of the pod that this is")
	s.String(&c.PodAccount, "agents-account", "AGENTS_ACCOUNT", "contiv-system:netplugin", "service account of agents' pods, NAMESPACE:NAME: their hosts join the cluster by its tokens, each for its own node")
	s.List(&c.podSubnets, "pod-subnets", "POD_SUBNETS", "subnets of "+endpoint.DefaultNetwork+", the network of pods that nothing places elsewhere, which the first start with Kubernetes makes: 10.1.0.0/16, fd01::/64 or both (default: none is made)")
	s.String(&c.BalancerNetwork, "load-balancer-network", "LOAD_BALANCER_NETWORK", "", "name of the network, of a service's own tenant, that Kubernetes' services of type LoadBalancer get their addresses of when they name none by annotation "+record.PlaceNetwork)
}

// check checks the configuration and fills in what follows from the rest.
func (c *config) check() error {
	c.Store.Embedded = c.Storage.Runs()
	if err := c.Common.Check(); err != nil {
		return err
	}
	if c.Mode == flags.ModeAuto && c.Kubernetes.Wanted() {
		c.Mode = flags.ModeKubernetes
	}
	c.Infra = strings.ToLower(c.Infra)
	if err := flags.OneOf("infra", c.Infra, "default", "aci"); err != nil {
		return err
	}
	if c.HostAccess == "" {
		c.HostAccess = string(record.HostPrivate)
		if c.Kubernetes.Wanted() {
			c.HostAccess = string(record.HostDirect)
		}
	}
	if err := flags.OneOf("host-access", c.HostAccess, string(record.HostPrivate), string(record.HostDirect)); err != nil {
		return err
	}
	var err error
	if c.ttl, err = time.ParseDuration(c.LeaderTTL); err != nil || c.ttl < time.Second {
		return fmt.Errorf("--leader-ttl %s: it is a duration of at least 1s", c.LeaderTTL)
	}
	if err := c.checkHistory(); err != nil {
		return err
	}
	if u, err := url.Parse(c.ACIGateway); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("--aci-gateway %s: it is a URL like %s", c.ACIGateway, aci.DefaultURL)
	}
	if err := c.Listener.Check(); err != nil {
		return err
	}
	if err := c.checkLimits(); err != nil {
		return err
	}
	if err := c.Snapshots.check(c.Storage.Embedded.Dir); err != nil {
		return err
	}
	if err := c.checkKubernetes(); err != nil {
		return err
	}
	return c.Storage.Check(c.Trust.Scheme())
}

// checkKubernetes checks how Kubernetes is read.
func (c *config) checkKubernetes() error {
	if err := c.Kubernetes.Check(); err != nil {
		return fmt.Errorf("--kubernetes-api: %w", err)
	}
	var err error
	if c.pods, err = masterkube.Subnets(c.podSubnets); err != nil {
		return fmt.Errorf("--pod-subnets: %w", err)
	}
	if len(c.pods) > 0 && !c.Kubernetes.Wanted() {
		return errors.New("--pod-subnets is for netmasters that read Kubernetes: name a --kubeconfig or --kubernetes-api")
	}
	return nil
}

// checkLimits checks what may continue at once.
func (c *config) checkLimits() error {
	for flag, n := range map[string]int{
		"max-watches": c.Limits.Watches, "max-captures": c.Limits.Captures, "max-traces": c.Limits.Traces, "max-agents": c.Limits.Agents, "max-bundles": c.Limits.Bundles, "max-strangers": c.Limits.Strangers} {
		if n < 1 || n > httpserver.MaxRequest {
			return fmt.Errorf("--%s %d: it is a number from 1 to %d", flag, n, httpserver.MaxRequest)
		}
	}
	return nil
}

// checkHistory checks what is kept of the past.
func (c *config) checkHistory() error {
	if c.HistoryLimit < 1 || c.HistoryLimit > maxHistory {
		return fmt.Errorf("--history-limit %d: it is a number from 1 to %d", c.HistoryLimit, maxHistory)
	}
	age, err := time.ParseDuration(c.HistoryAge)
	if err != nil || age < time.Minute {
		return fmt.Errorf("--history-age %s: it is a duration of at least 1m", c.HistoryAge)
	}
	if c.compaction, err = time.ParseDuration(c.Compaction); err != nil || c.compaction != 0 && c.compaction < leastCompaction {
		return fmt.Errorf("--store-compaction %s: it is a duration of at least %s, or 0s", c.Compaction, leastCompaction)
	}
	c.keep = history.Keep{Records: c.HistoryLimit, Age: age}
	if c.Quarantine == "" {
		return nil
	}
	rest, err := time.ParseDuration(c.Quarantine)
	if err != nil || rest < 0 {
		return fmt.Errorf("--quarantine %s: it is a duration such as 10m, or 0s", c.Quarantine)
	}
	c.quarantine = &rest
	return nil
}

// leastCompaction is for how long watches find what they know again after an outage: landmarks are written for it.
const leastCompaction = 10 * time.Minute

// maxHistory bounds the memory that the history takes, to about 100 MB.
const maxHistory = 200000
