// SPDX-License-Identifier: Apache-2.0

package find

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// value is the best value of an object, a node or a Docker network so far.
type value struct {
	rank
	field, text string
	class       class
}

// better keeps another value if it is better.
func (v *value) better(r rank, field, text string) {
	if r < v.rank {
		*v = value{rank: r, field: field, text: text}
	}
}

// match is its match.
func (v *value) match() match { return match{v.rank, v.class, len(v.text)} }

// placeFormats are the formats of fields with addresses and tags. Names of other objects are not searched.
const placeFormats = " ipv4 ipv6 subnet subnet6 ruleIP routerIP routerIP6 pool tag "

// searched returns the fields of a kind that are searched besides its key.
func searched(k *model.Kind) (out []string) {
	for i := range k.Fields {
		f := &k.Fields[i]
		if !f.Secret && (f.Format != "" && strings.Contains(placeFormats, " "+f.Format+" ") || f.Name == "port" || f.Name == "ports") {
			out = append(out, f.Name)
		}
	}
	return out
}

// object compares the name, the key, fields and labels of an object.
func (q *query) object(v *catalog.View, k *model.Kind, fields []string, o model.Object, key string) value {
	best := value{rank: none}
	parts := k.Parts(key)
	own := parts[len(parts)-1]
	best.better(q.in(own), "name", own)
	best.better(q.named(key), "key", key)
	for _, f := range fields {
		switch x := o.Field(f).(type) {
		case string:
			best.better(q.place(x), f, x)
		case int:
			protocol, _ := o.Field("protocol").(string)
			best.better(q.isPort(x, protocol), f, strconv.Itoa(x))
		case []string:
			for _, text := range x {
				best.better(q.isOnePort(text), f, text)
			}
		}
	}
	if s, ok := o.(*model.ServiceLB); ok {
		if r := v.ServiceLB(s.Identity()); r != nil {
			best.better(q.place(record.Text(r.IP)), "address", record.Text(r.IP))
		}
	}
	for key, text := range model.LabelsOf(o) {
		best.label(q, key, text)
	}
	return best
}

// label keeps a label if it is better, or as good as another label and before it by the alphabet.
func (v *value) label(q *query, key, text string) {
	l := newLabelText(key, text)
	switch r := q.label(&l); {
	case r < v.rank:
		*v = value{r, fieldLabels, key + "=" + text, labelled}
	case r == v.rank && r < none && v.class == labelled:
		v.text = min(v.text, key+"="+text)
	}
}

// aboutObject is what an object is, in short.
func aboutObject(v *catalog.View, o model.Object) string {
	switch o := o.(type) {
	case *model.Network:
		return o.Subnet
	case *model.EndpointGroup:
		return "on " + o.NetworkName
	case *model.Rule:
		port := ""
		if o.Port != 0 {
			port = strconv.Itoa(o.Port)
		}
		return joined(o.Direction, o.Protocol, port, o.Action)
	case *model.ServiceLB:
		return oper.Summary(v, o).Address
	}
	return ""
}

// aboutEndpoint is the address, the host and the container of an endpoint.
func aboutEndpoint(e *record.Endpoint) string {
	called := e.CommonName
	if (e.Pod.ID != identity.Pod{}) {
		called = e.Pod.ID.Path()
	}
	return joined(record.Text(e.IP), e.Host, called)
}

// joined joins those texts that are not empty.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}
