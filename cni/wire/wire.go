// Package wire holds what the CNI plugin and the agent say to each other over the agent's unix socket, and the small
// client that the plugin uses. It keeps its imports few: the plugin is started for every container.
package wire

import (
	"encoding/json"
	"fmt"

	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
)

// DefaultSocket is where the agent listens unless it is told otherwise.
const DefaultSocket = "/run/contiv/contiv-cni.sock"

// Paths of the agent's CNI service; all are POST.
const (
	PathAdd    = "/cni/add"
	PathDel    = "/cni/del"
	PathCheck  = "/cni/check"
	PathStatus = "/cni/status"
	PathGC     = "/cni/gc"

	// The paths of the original plugin, with PodRequest and PodAnswer.
	PathAddPod = "/ContivCNI.AddPod"
	PathDelPod = "/ContivCNI.DelPod"
)

// Request is one CNI operation as the runtime asked for it.
type Request struct {
	ContainerID string          `json:"containerID,omitempty"`
	Netns       string          `json:"netns,omitempty"`
	IfName      string          `json:"ifName,omitempty"`
	Args        string          `json:"args,omitempty"` // CNI_ARGS, "K=V;K=V"
	Config      json.RawMessage `json:"config,omitempty"`
}

// Answer is the agent's: a Result of an ADD, an Error, or nothing for success.
type Answer struct {
	Result *types100.Result `json:"result,omitempty"`
	Error  *types.Error     `json:"error,omitempty"`
}

// Conf is the part of a network configuration that concerns contiv, beside what every CNI configuration has.
//
// Master is the URL of the netmaster that the agent asks first; when it does not answer, the agent asks the registered
// ones. It must belong to the agent's own cluster: the flows come from that cluster's store.
type Conf struct {
	types.PluginConf
	Tenant  string            `json:"tenant,omitempty"`
	Network string            `json:"network,omitempty"`
	Group   string            `json:"group,omitempty"`
	Master  string            `json:"master,omitempty"` // "http://host:port", or ""
	Socket  string            `json:"socket,omitempty"` // of the agent; DefaultSocket
	Labels  map[string]string `json:"labels,omitempty"` // as on a pod: io.contiv.tenant, ...
}

// ParseConf reads a network configuration.
func ParseConf(data []byte) (*Conf, error) {
	c := new(Conf)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("read network configuration: %w", err)
	}
	return c, nil
}

// PodRequest is what the original plugin posts.
type PodRequest struct {
	PodName     string `json:"K8S_POD_NAME"`
	Namespace   string `json:"K8S_POD_NAMESPACE"`
	ContainerID string `json:"K8S_POD_INFRA_CONTAINER_ID"`
	Netns       string `json:"CNI_NETNS"`
	IfName      string `json:"CNI_IFNAME"`
}

// PodAnswer is what the original agent answers; with Result 1 the HTTP status is 500.
type PodAnswer struct {
	Result      int    `json:"result,omitempty"`
	EndpointID  string `json:"endpointid,omitempty"`
	IPAddress   string `json:"ipaddress,omitempty"` // with prefix length
	IPv6Address string `json:"ipv6address,omitempty"`
	ErrMsg      string `json:"errmsg,omitempty"`
	ErrInfo     string `json:"errinfo,omitempty"`
}
