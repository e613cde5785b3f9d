// SPDX-License-Identifier: Apache-2.0

package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
)

// Point is what was measured at one size of a cluster.
type Point struct {
	Agents    int `json:"agents"`
	Endpoints int `json:"endpoints"`

	Start        float64 `json:"start"`        // seconds until all agents that start know what concerns them
	Restart      float64 `json:"restart"`      // seconds until all that start again know of a change
	Store        float64 `json:"store"`        // seconds after the store was killed
	Change       float64 `json:"change"`       // seconds until a change is known, p99
	MasterCPU    float64 `json:"masterCpu"`    // percent of a core
	StoreCPU     float64 `json:"storeCpu"`     // percent of a core
	MasterMemory float64 `json:"masterMemory"` // megabytes
	StoreMemory  float64 `json:"storeMemory"`  // megabytes
}

// AddTo adds the point to those of a file, or makes the file.
func (p Point) AddTo(path string) error {
	var points []Point
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &points)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err = json.MarshalIndent(append(points, p), "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
