// SPDX-License-Identifier: Apache-2.0

package migrate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/sanitize"
)

// Severity of a difference.
type Severity string

// Severities.
const (
	Kept    Severity = "kept"    // something that the original had chosen is stated now
	Changed Severity = "changed" // the object differs
	Missing Severity = "missing" // the object, or a part of the cluster, is not imported
)

// Difference is something that differs between the original cluster and the objects.
type Difference struct {
	Severity Severity `json:"severity"`
	Object   string   `json:"object"` // "network shop:front"; "cluster"
	Text     string   `json:"text"`   // what differs, and the remedy if there is one
}

// HostPlan is the containers of a host, which start again on the new cluster.
type HostPlan struct {
	Host       string   `json:"host"`
	Containers []string `json:"containers"` // "web1 10.1.1.4 in shop:front"
}

// Intent is the configuration of a cluster of the original, for a new cluster.
type Intent struct {
	Objects     []model.Object `json:"-"` // in the order in which they are created
	Differences []Difference   `json:"differences"`
	Hosts       []HostPlan     `json:"hosts"`
}

// maxText bounds texts of the original in a report, in bytes.
const maxText = 200

// Translate translates a cluster of the original.
func Translate(o *Original) *Intent {
	in := &Intent{}
	for _, k := range kinds() {
		for _, text := range o.Objects[k.Name] {
			in.translate(o, k, text)
		}
	}
	for _, name := range unknownKinds(o) {
		in.differ(Missing, name, "objects of a kind that this build does not have: %d", len(o.Objects[name]))
	}
	if o.Accounts > 0 {
		in.differ(Missing, "cluster", "keys of the auth proxy: %d; create its users again (netctl user create), and its permissions (netctl authorization create)", o.Accounts)
	}
	for _, host := range o.hosts() {
		p := HostPlan{Host: clean(host)}
		for i := range o.Endpoints {
			if e := &o.Endpoints[i]; e.Host == host {
				p.Containers = append(p.Containers, clean(fmt.Sprintf("%s %s in %s", e.Container, e.Address, e.Network)))
			}
		}
		slices.Sort(p.Containers)
		in.Hosts = append(in.Hosts, p)
	}
	return in
}

func clean(text string) string { return sanitize.Line(text, maxText) }

// differ adds a difference.
func (in *Intent) differ(s Severity, object, format string, args ...any) {
	in.Differences = append(in.Differences, Difference{s, clean(object), clean(fmt.Sprintf(format, args...))})
}

// unknownKinds returns the type names of objects that are not imported, in order.
func unknownKinds(o *Original) (out []string) {
	known := kinds()
	for name, list := range o.Objects {
		if len(list) > 0 && !slices.ContainsFunc(known, func(k *model.Kind) bool { return k.Name == name }) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// translate translates one object.
func (in *Intent) translate(o *Original, k *model.Kind, text json.RawMessage) {
	object := k.New()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		in.differ(Missing, k.Name, "%v in %s", err, text)
		return
	}
	for name, value := range fields {
		if len(value) == 0 || name == "key" || name == "link-sets" || name == "links" {
			delete(fields, name)
		}
	}
	for _, name := range unknownFields(k, fields) {
		in.differ(Changed, k.Name+" "+nameOf(k, fields), "field %s is left out: this build does not have it", name)
		delete(fields, name)
	}
	ours, err := json.Marshal(fields)
	if err == nil {
		err = json.Unmarshal(ours, object)
	}
	if err != nil {
		in.differ(Missing, k.Name+" "+nameOf(k, fields), "%v", err)
		return
	}
	name := k.Name + " " + object.ObjectKey()
	if n, is := object.(*model.Network); is && n.PktTag == 0 {
		if n.PktTag = o.Tags[identity.Network{Tenant: n.TenantName, Name: n.NetworkName}]; n.PktTag != 0 {
			in.differ(Kept, name, "pktTag %d, which the original had chosen: physical switches may know it", n.PktTag)
		}
	}
	object.SetDefaults()
	if err := object.Validate(); err != nil {
		in.differ(Missing, name, "this build refuses it: %v", err)
		return
	}
	in.Objects = append(in.Objects, object)
}

// unknownFields returns the names of fields that a kind does not have, in order.
func unknownFields(k *model.Kind, fields map[string]json.RawMessage) (out []string) {
	for name := range fields {
		if _, ok := k.Field(name); !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// nameOf returns the key of an object from its fields.
func nameOf(k *model.Kind, fields map[string]json.RawMessage) string {
	var parts []string
	for _, field := range k.Key {
		parts = append(parts, strings.Trim(string(fields[field]), `"`))
	}
	return identity.Join(parts...)
}
