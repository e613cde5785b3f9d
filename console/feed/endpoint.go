// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Endpoint is what is kept of an endpoint: what rows and pages show without asking, for there may be hundreds of thousands.
type Endpoint struct {
	Key              string    `json:"key"`
	EndpointID       string    `json:"endpointID"`
	ContainerName    string    `json:"containerName"`
	Network          string    `json:"network"`
	EndpointGroupKey string    `json:"endpointGroupKey"`
	HomingHost       string    `json:"homingHost"`
	IpAddress        [2]string `json:"ipAddress"`
	MacAddress       string    `json:"macAddress"`
	Labels           string    `json:"labels"`
	Pod              string    `json:"pod"`
}

// Field returns a value by its JSON name, of the type that it has in the API; nil for one that is not kept.
func (e *Endpoint) Field(name string) any {
	switch name {
	case "key":
		return e.Key
	case "endpointID":
		return e.EndpointID
	case "containerName":
		return e.ContainerName
	case "network":
		return e.Network
	case "endpointGroupKey":
		return e.EndpointGroupKey
	case "homingHost":
		return e.HomingHost
	case "ipAddress":
		return e.IpAddress[:]
	case "macAddress":
		return e.MacAddress
	case "labels":
		return e.Labels
	case "pod":
		return e.Pod
	}
	return nil
}

// Called is what a person knows the endpoint by: its pod, "namespace/pod", or the runtime's name of its container; where there is
// neither, its id.
func (e *Endpoint) Called() string { return cmp.Or(e.Pod, e.ContainerName, e.EndpointID) }

// NetworkKey is the key of the endpoint's network, "tenant:network".
func (e *Endpoint) NetworkKey() string { return (&model.EndpointOper{Key: e.Key}).NetworkKey() }

// Tenant is the tenant of the endpoint.
func (e *Endpoint) Tenant() string { return (&model.EndpointOper{Key: e.Key}).Tenant() }

// decodeEndpoint decodes an endpoint of the API. key is its key, if known.
func decodeEndpoint(raw json.RawMessage, key string, texts *interned) (*Endpoint, error) {
	e := &Endpoint{}
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, err
	}
	if key != "" {
		e.Key = key // no two have the same
	}
	if strings.HasSuffix(e.Key, e.EndpointID) {
		e.EndpointID = e.Key[len(e.Key)-len(e.EndpointID):] // one text, not two
	}
	texts.intern(&e.Network, &e.EndpointGroupKey, &e.HomingHost, &e.ContainerName, &e.Labels)
	return e, nil
}
