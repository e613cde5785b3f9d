// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// UUID names a row.
type UUID string

// MarshalJSON prints the UUID in the form of RFC 7047 section 5.1: ["uuid", "..."].
func (u UUID) MarshalJSON() ([]byte, error) { return json.Marshal([2]string{"uuid", string(u)}) }

// Named refers to a row that the same transaction inserts.
type Named string

// MarshalJSON prints ["named-uuid", "..."].
func (n Named) MarshalJSON() ([]byte, error) { return json.Marshal([2]string{"named-uuid", string(n)}) }

// Set is an OVSDB set of atoms (strings, integers, UUID, Named).
type Set []any

// MarshalJSON prints ["set", [...]].
func (s Set) MarshalJSON() ([]byte, error) {
	return json.Marshal([2]any{"set", append([]any{}, s...)})
}

// Map is an OVSDB map from strings to strings.
type Map map[string]string

// MarshalJSON prints ["map", [[key, value], ...]], ordered by key.
func (m Map) MarshalJSON() ([]byte, error) {
	pairs := make([][2]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		pairs = append(pairs, [2]string{k, m[k]})
	}
	return json.Marshal([2]any{"map", pairs})
}

// tagged splits ["tag", value]; ok is false when raw has another form.
func tagged(raw json.RawMessage, tag string) (value json.RawMessage, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return nil, false
	}
	var pair []json.RawMessage
	if json.Unmarshal(raw, &pair) != nil || len(pair) != 2 {
		return nil, false
	}
	var got string
	if json.Unmarshal(pair[0], &got) != nil || got != tag {
		return nil, false
	}
	return pair[1], true
}

func decodeString(raw json.RawMessage) (string, error) {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "", fmt.Errorf("%w: want a string, got %.80s", ErrMalformed, raw)
	}
	return s, nil
}

func decodeInt(raw json.RawMessage) (int64, error) {
	var n int64
	if err := json.Unmarshal(raw, &n); err != nil {
		return 0, fmt.Errorf("%w: want an integer, got %.80s", ErrMalformed, raw)
	}
	return n, nil
}

func decodeUUID(raw json.RawMessage) (UUID, error) {
	value, ok := tagged(raw, "uuid")
	if !ok {
		return "", fmt.Errorf("%w: want a uuid, got %.80s", ErrMalformed, raw)
	}
	s, err := decodeString(value)
	return UUID(s), err
}

// decodeSet reads a set of atoms; a bare atom is a set of one (RFC 7047 section 5.1).
func decodeSet[T any](raw json.RawMessage, atom func(json.RawMessage) (T, error)) ([]T, error) {
	inner, ok := tagged(raw, "set")
	if !ok {
		v, err := atom(raw)
		if err != nil {
			return nil, err
		}
		return []T{v}, nil
	}
	var items []json.RawMessage
	if err := json.Unmarshal(inner, &items); err != nil {
		return nil, fmt.Errorf("%w: want a set, got %.80s", ErrMalformed, raw)
	}
	out := make([]T, 0, len(items))
	for _, item := range items {
		v, err := atom(item)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// decodeOptional reads a set of at most one atom; an empty set is the zero value.
func decodeOptional[T any](raw json.RawMessage, atom func(json.RawMessage) (T, error)) (T, error) {
	var zero T
	set, err := decodeSet(raw, atom)
	if err != nil || len(set) == 0 {
		return zero, err
	}
	return set[0], nil
}

func decodeMap[K comparable, V any](raw json.RawMessage, key func(json.RawMessage) (K, error),
	value func(json.RawMessage) (V, error)) (map[K]V, error) {
	inner, ok := tagged(raw, "map")
	if !ok {
		return nil, fmt.Errorf("%w: want a map, got %.80s", ErrMalformed, raw)
	}
	var pairs [][]json.RawMessage
	if err := json.Unmarshal(inner, &pairs); err != nil {
		return nil, fmt.Errorf("%w: want a map, got %.80s", ErrMalformed, raw)
	}
	out := make(map[K]V, len(pairs))
	for _, p := range pairs {
		if len(p) != 2 {
			return nil, fmt.Errorf("%w: map entry with %d parts", ErrMalformed, len(p))
		}
		k, err := key(p[0])
		if err != nil {
			return nil, err
		}
		v, err := value(p[1])
		if err != nil {
			return nil, err
		}
		out[k] = v
	}
	return out, nil
}

func decodeStringMap(raw json.RawMessage) (map[string]string, error) {
	return decodeMap(raw, decodeString, decodeString)
}
