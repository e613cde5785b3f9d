// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// differences lists how the objects of the chart differ from those of a kustomization, one line for each place.
func differences(chart, kustomization []object) (out []string) {
	mine, theirs := byName(chart), byName(kustomization)
	for _, id := range slices.Sorted(maps.Keys(theirs)) {
		if _, ok := mine[id]; !ok {
			out = append(out, id+": only in the kustomization")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(mine)) {
		if _, ok := theirs[id]; !ok {
			out = append(out, id+": only in the chart")
			continue
		}
		out = append(out, differ(id, ordered(mine[id], ""), ordered(theirs[id], ""))...)
	}
	return out
}

// byName returns objects by their kind, namespace and name. Two objects of one name are both kept.
func byName(all []object) map[string]object {
	out := map[string]object{}
	for _, o := range all {
		m, _ := o["metadata"].(object)
		id := fmt.Sprintf("%v %v/%v", o["kind"], cmp.Or[any](m["namespace"], ""), m["name"])
		for _, twice := out[id]; twice; _, twice = out[id] {
			id += " again"
		}
		out[id] = o
	}
	return out
}

// ordered returns a value without what only charts have - checksums of settings, in place of kustomize's suffixes of names - and with
// lists in an order, if their order has no meaning. key is the key of the value.
func ordered(v any, key string) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for k, one := range v {
			if strings.HasPrefix(k, "checksum/") {
				continue
			}
			next := ordered(one, k)
			if m, ok := next.(object); ok && k == "annotations" && len(m) == 0 {
				continue
			}
			out[k] = next
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, one := range v {
			out = append(out, ordered(one, ""))
		}
		if key == "env" || key == "volumes" || key == "volumeMounts" { // TestVariables checks the order of the first
			slices.SortFunc(out, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}
		return out
	}
	if text, ok := v.(string); ok && base64.MatchString(text) {
		return strings.Join(strings.Fields(text), "")
	}
	return v
}

// base64 matches a text in base64 with several lines, as kustomize writes it.
var base64 = regexp.MustCompile(`^([A-Za-z0-9+/]+\n)+[A-Za-z0-9+/]*={0,2}\n?$`)

// differ lists the differences between two values at a path.
func differ(path string, chart, kustomization any) (out []string) {
	switch mine := chart.(type) {
	case object:
		theirs, ok := kustomization.(object)
		if !ok {
			break
		}
		keys := maps.Clone(mine)
		maps.Copy(keys, theirs)
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			switch a, b := mine[k], theirs[k]; {
			case a == nil:
				out = append(out, fmt.Sprintf("%s.%s: only in the kustomization: %v", path, k, b))
			case b == nil:
				out = append(out, fmt.Sprintf("%s.%s: only in the chart: %v", path, k, a))
			default:
				out = append(out, differ(path+"."+k, a, b)...)
			}
		}
		return out
	case []any:
		theirs, ok := kustomization.([]any)
		if !ok || len(mine) != len(theirs) {
			break
		}
		for n := range mine {
			out = append(out, differ(fmt.Sprintf("%s[%d]", path, n), mine[n], theirs[n])...)
		}
		return out
	}
	if fmt.Sprintf("%T %v", chart, chart) == fmt.Sprintf("%T %v", kustomization, kustomization) {
		return nil
	}
	return []string{fmt.Sprintf("%s: the chart has %v, the kustomization %v", path, chart, kustomization)}
}
