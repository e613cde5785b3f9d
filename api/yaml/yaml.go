// SPDX-License-Identifier: Apache-2.0

// Package yaml reads and writes values as YAML whose fields are named by their JSON tags.
package yaml

import (
	"bytes"
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// Marshal returns v as YAML: the output of encoding/json, with the keys of each object in alphabetical order.
func Marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return JSONToYAML(text)
}

// JSONToYAML converts a JSON value. The keys of each object come in alphabetical order.
func JSONToYAML(text []byte) ([]byte, error) {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil { // JSON is YAML, and its integers stay integers
		return nil, err
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	e.CompactSeqIndent()
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// YAMLToJSON converts the first document of text. It fails if a key is not a string.
func YAMLToJSON(text []byte) ([]byte, error) {
	var value any
	if err := yaml.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	out, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("yaml: not a value that JSON can express: %w", err)
	}
	return out, nil
}

// UnmarshalStrict decodes the first document of text into v as encoding/json would, and fails on fields that v lacks.
func UnmarshalStrict(text []byte, v any) error {
	plain, err := YAMLToJSON(text)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(plain))
	d.DisallowUnknownFields()
	return d.Decode(v)
}
