// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// about is the section of the object's own fields.
func (f *facts) about() *Section {
	s := &Section{Title: "About", None: "it has no fields"}
	switch {
	case f.endpoint != nil:
		s.Rows = f.endpointRows()
	case f.kind == nil:
		s.Rows = f.nodeRows()
	default:
		s.Rows = append(f.configRows(), f.operRows()...)
		if f.operErr != nil {
			s.Unknown = append(s.Unknown, "state: "+reason(f.operErr))
		}
	}
	return s
}

func (f *facts) endpointRows() (out []Row) {
	e := f.endpoint
	addresses := slices.DeleteFunc(slices.Clone(e.IpAddress), func(a string) bool { return a == "" })
	parts := []Part{}
	for _, a := range addresses {
		parts = append(parts, Part{Text: a, Link: &Ref{Kind: AddressKind, Key: e.NetworkKey(), Address: a}})
	}
	out = append(out, row("addresses", append(listed(parts), plain(", %s", e.MacAddress))...), row("host", host(e.HomingHost)),
		row("network", link(model.KindNetwork(), e.NetworkKey())))
	if g := groupKey(e); g != "" {
		out = append(out, row("group", link(model.KindEndpointGroup(), g)))
	}
	out = append(out, row("tenant", link(model.KindTenant(), e.Tenant())))
	if e.Counted != "" {
		text := fmt.Sprintf("sent %d (%d bytes), received %d (%d bytes), ", e.PacketsSent, e.BytesSent, e.PacketsReceived, e.BytesReceived)
		if e.PacketsRefused > 0 {
			text += fmt.Sprintf("refused %d with addresses of others, ", e.PacketsRefused)
		}
		out = append(out, row("packets", plain("%s%s", text, e.Counted)))
	}
	for _, x := range [][2]string{{"container", strings.Join(slices.DeleteFunc([]string{e.ContainerName, e.ContainerID}, func(s string) bool { return s == "" }), ", ")},
		{"pod", e.Pod}, {"labels", model.LabelText(e.Labels)}, {"interface", e.IntfName}, {"bandwidth", e.Bandwidth}, {"published", strings.Join(e.Published, "; ")}} {
		if x[1] != "" && x[1] != "map[]" {
			out = append(out, row(x[0], plain("%s", x[1])))
		}
	}
	return out
}

func (f *facts) nodeRows() (out []Row) {
	for i := range f.nodes {
		n := &f.nodes[i]
		for _, c := range model.ViewNodes() {
			if c.Value == nil {
				continue
			}
			text := cell(c.Value(n))
			if text == "" || text == "-" {
				continue
			}
			out = append(out, row(strings.ToLower(c.Header), plain("%s", text)))
		}
		if n.Docker != nil {
			for _, p := range n.Docker.Problems {
				out = append(out, row("", plain("Docker network %s: %s", p.Network, p.Problem)))
			}
		}
		if n.Role == model.RoleAgent && !n.Answered() {
			out = append(out, Row{State: model.SeverityUnknown, Text: []Part{plain("unknown: everything with a question mark, since its agent does not answer")}})
		}
	}
	return out
}

// cell is a value of a column as text.
func cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprint(v)
}

// configRows are the fields of the configuration that are set, those of the key first.
func (f *facts) configRows() (out []Row) {
	fields := slices.Clone(f.kind.Fields)
	rank := func(x model.Field) int {
		if i := slices.Index(f.kind.Key, x.Name); i >= 0 {
			return i
		}
		return len(f.kind.Key)
	}
	slices.SortStableFunc(fields, func(a, b model.Field) int { return cmp.Compare(rank(a), rank(b)) })
	for _, x := range fields {
		if x.Secret {
			continue
		}
		if parts := f.value(x.Name, f.config.Field(x.Name)); len(parts) > 0 {
			out = append(out, row(words(x.Name), parts...))
		}
	}
	return out
}

// value is a field's value, whose mentions of other objects are links; nil if it is empty.
func (f *facts) value(name string, v any) (out []Part) {
	var texts []string
	switch v := v.(type) {
	case string:
		texts = []string{v}
	case []string:
		texts = v
	case map[string]string:
		texts = []string{model.JoinLabels(v)}
	case int:
		if v != 0 {
			texts = []string{fmt.Sprint(v)}
		}
	}
	to := f.linked(name)
	for _, text := range texts {
		switch {
		case text == "":
		case to == nil:
			out = append(out, plain("%s", text))
		case to.TenantScoped():
			out = append(out, linkAs(to, model.Key(f.tenant(), text), text))
		default:
			out = append(out, link(to, text))
		}
	}
	return listed(out)
}

// linked is the kind of the objects that a field names; nil: it names none.
func (f *facts) linked(field string) *model.Kind {
	if field == "tenantName" && !f.is(model.KindTenant()) {
		return model.KindTenant()
	}
	for _, l := range append(slices.Clone(f.kind.Links), f.kind.LinkSets...) {
		to, ok := model.KindOf(l.To)
		if !ok || to.Command.Use == "" || l.Back {
			continue
		}
		if slices.Contains(l.Via, field) || len(l.Via) == 0 && to.Key[len(to.Key)-1] == field && !f.is(to) {
			return to
		}
	}
	if strings.HasSuffix(field, "Network") && f.is(model.KindRule()) { // fromNetwork and toNetwork
		return model.KindNetwork()
	}
	return nil
}

// operRows are the fields of the operational state that are numbers or texts, and short lists.
func (f *facts) operRows() (out []Row) {
	for _, x := range f.kind.Oper {
		raw, ok := f.oper[x.Name]
		if !ok || x.Type == model.List || slices.Contains(shownElsewhere(), x.Name) {
			continue
		}
		var text string
		var list []string
		var number json.Number
		switch {
		case json.Unmarshal(raw, &text) == nil:
		case json.Unmarshal(raw, &list) == nil:
			text = strings.Join(list[:min(len(list), maxListed)], "; ")
			if more := len(list) - maxListed; more > 0 {
				text += fmt.Sprintf(" and %d more", more)
			}
		case json.Unmarshal(raw, &number) == nil:
			text = number.String()
		}
		if _, configured := f.kind.Field(x.Name); text != "" && !configured {
			out = append(out, row(words(x.Name), plain("%s", text)))
		}
	}
	return out
}

// shownElsewhere are the fields of operational state that other sections show, and those that repeat others.
func shownElsewhere() []string {
	return []string{"load", "hosts", "hits", "numProviders", "numReady", "networkTag", "groupTag", "totalEPGs", "totalNetworks", "totalPolicies", "totalServicelbs", "totalNetprofiles", "totalAppProfiles"}
}

// words are the words of a field's name: "networkName" is "network", "ipAddress" is "IP address".
func words(name string) string {
	if plain := map[string]string{"allocatedAddressesCount": "used addresses", "allocatedIPAddresses": "in use", "availableIPAddresses": "free", "numEndpoints": "endpoints",
		"heldIPAddresses": "held", "pooledIPAddresses": "in pools", "quarantinedIPAddresses": "in quarantine", "totalEndpoints": "endpoints"}[name]; plain != "" {
		return plain
	}
	if short := strings.TrimSuffix(name, "Name"); short != "" && short != name {
		name = short
	}
	var b strings.Builder
	var last rune
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(last) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
		last = r
	}
	known := map[string]string{"ip": "IP", "ipv6": "IPv6", "num": "number of", "pkt": "packet", "cfgd": "configured", "nw": "network", "vip": "address", "pvt": "private", "fwd": "forwarding"}
	out := strings.Fields(b.String())
	for i, w := range out {
		switch to, ok := known[strings.ToLower(w)]; {
		case ok:
			out[i] = to
		case strings.ToUpper(w) != w || len(w) == 1:
			out[i] = strings.ToLower(w)
		}
	}
	return strings.Join(out, " ")
}

// addressSection is the section of an endpoint's addresses: since when it has each, by whom, and who had it before.
func (f *facts) addressSection() *Section {
	if f.endpoint == nil {
		return nil
	}
	s := &Section{Title: "Addresses", None: "it has no address", Unknown: f.addresses.unknown()}
	for i := range f.addresses.value {
		a := &f.addresses.value[i]
		text := a.State
		if a.By != nil {
			text += " by " + a.By.String()
		}
		if a.Before != nil {
			text += "; before: " + a.Before.String()
		}
		s.Rows = append(s.Rows, Row{Time: a.Since, Text: []Part{{Text: a.Address, Link: &Ref{Kind: AddressKind, Key: f.endpoint.NetworkKey(), Address: a.Address}}, plain("  %s", text)}})
	}
	return s
}

// related are the sections of the objects that link to this one, by kind.
func (f *facts) related() (out []Section) {
	if f.kind == nil {
		return nil
	}
	for _, set := range f.kind.LinkSets {
		to, ok := model.KindOf(set.To)
		if !ok || to.Name != set.To || to.Command.Use == "" || len(set.Via) > 0 || f.is(model.KindPolicy()) && to == model.KindRule() {
			continue
		}
		var parts []Part
		for _, key := range sortedKeys(f.links[set.Name]) {
			key = cmp.Or(f.links[set.Name][key].Key, key)
			name := key
			if to.TenantScoped() && f.tenant() != "" {
				_, name, _ = identity.Cut(key)
			}
			parts = append(parts, linkAs(to, key, name))
		}
		s := Section{Title: title(to.Nouns())}
		if to == model.KindRule() {
			s.Title = "Rules that name it"
		}
		switch {
		case len(parts) > 0:
			s.Rows = []Row{row("", listed(parts)...)}
		case f.operErr != nil:
			s.Unknown = []string{reason(f.operErr)}
		default:
			continue
		}
		out = append(out, s)
	}
	return out
}

// title begins with a capital letter.
func title(text string) string {
	for i, r := range text {
		return string(unicode.ToUpper(r)) + text[i+len(string(r)):]
	}
	return text
}
