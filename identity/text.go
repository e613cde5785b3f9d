// SPDX-License-Identifier: Apache-2.0

package identity

import "strings"

// Join returns the text form of an object's identity from its parts, the outermost first.
func Join(parts ...string) string { return strings.Join(parts, ":") }

// Parts returns the parts of the text form of an identity, the outermost first, at most limit of them, or all if limit is negative: the last
// may have colons. The text need not be valid.
func Parts(text string, limit int) []string { return strings.SplitN(text, ":", limit) }

// Scope returns the first part of the text form of an identity: the tenant of what is in one, or the namespace. It is the whole text if there
// is only one part.
func Scope(text string) string {
	scope, _, _ := strings.Cut(text, ":")
	return scope
}

// Cut cuts the text form of an identity after its tenant or namespace: name identifies the object there. ok is false, and scope the whole
// text, if there is only one part.
func Cut(text string) (scope, name string, ok bool) { return strings.Cut(text, ":") }

// Parent returns the text form of what an object is in, all parts but the last: of a rule its policy. It is "" if there is only one part.
func Parent(text string) string { return text[:max(strings.LastIndexByte(text, ':'), 0)] }

// Within reports whether text is the text form of an object or of something in it, and scope the object's own.
func Within(text, scope string) bool {
	rest, ok := strings.CutPrefix(text, scope)
	return ok && (rest == "" || rest[0] == ':')
}

// Ends reports whether a text form is name, or ends with it: with the last part, or the last parts.
func Ends(text, name string) bool {
	rest, ok := strings.CutSuffix(text, name)
	return ok && (rest == "" || rest[len(rest)-1] == ':')
}

// NetworkOf returns the text form of the network of an endpoint, from that of the endpoint; "" if that is not of the form
// tenant:network:endpoint.
func NetworkOf(endpoint string) string {
	tenant, rest, _ := strings.Cut(endpoint, ":")
	name, _, ok := strings.Cut(rest, ":")
	if !ok {
		return ""
	}
	return endpoint[:len(tenant)+1+len(name)]
}

// Ref names an object of any kind, as findings, flows and commands do.
type Ref struct{ Kind, Name string }

// ParseRef reads "kind/name". ok is false, and Kind the whole text, if there is no slash. The name may have slashes.
func ParseRef(text string) (r Ref, ok bool) {
	r.Kind, r.Name, ok = strings.Cut(text, "/")
	return r, ok
}

// String is "kind/name".
func (r Ref) String() string { return r.Kind + "/" + r.Name }

// Reversed is "name:tenant", the original's key of groups and services.
func (i InTenant[K]) Reversed() string {
	if i.IsZero() {
		return ""
	}
	return i.Name + ":" + i.Tenant
}

// Dotted is "name.tenant", the original's id of a network. Two networks may have the same one.
func (i InTenant[K]) Dotted() string {
	if i.IsZero() {
		return ""
	}
	return i.Name + "." + i.Tenant
}

// ParseReversedGroup reads "group:tenant".
func ParseReversedGroup(text string) (Group, error) { return parseReversed[group](text) }

// ParseReversedService reads "service:tenant".
func ParseReversedService(text string) (Service, error) { return parseReversed[service](text) }

// parseReversed reads "name:tenant"; neither contains a colon.
func parseReversed[K any](text string) (InTenant[K], error) {
	id, err := parse[K](text)
	if err != nil {
		return id, err
	}
	return InTenant[K]{Tenant: id.Name, Name: id.Tenant}, nil
}

// ParseDottedNetwork reads "network.tenant". ok is false if the text can be read in several ways, or in none: names may have dots.
func ParseDottedNetwork(text string) (id Network, ok bool) {
	id.Name, id.Tenant, ok = strings.Cut(text, ".")
	if !ok || strings.ContainsAny(id.Tenant, ".:") || strings.Contains(id.Name, ":") {
		return Network{}, false
	}
	return id, true
}

// Path is "namespace/name", as Kubernetes writes it.
func (i InNamespace[K]) Path() string {
	if i.IsZero() {
		return ""
	}
	return i.Namespace + "/" + i.Name
}

// ParsePodPath reads "namespace/pod".
func ParsePodPath(text string) (Pod, bool) { return parsePath[pod](text) }

// ParseKubernetesServicePath reads "namespace/service".
func ParseKubernetesServicePath(text string) (KubernetesService, bool) {
	return parsePath[kubernetesService](text)
}

// parsePath reads "namespace/name". ok is false, and Namespace the whole text, if there is no slash.
func parsePath[K any](text string) (id InNamespace[K], ok bool) {
	id.Namespace, id.Name, ok = strings.Cut(text, "/")
	return id, ok
}
