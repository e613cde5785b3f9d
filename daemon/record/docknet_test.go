// SPDX-License-Identifier: Apache-2.0

package record

import (
	"strings"
	"testing"
)

func TestDockerNetworkName(t *testing.T) {
	for docker, want := range map[string]string{"web": "web", "shop_default": "shop-default", "a.b-c": "a.b-c", "_x_.-y": "x.y", "___": "", "": "", "grün": "gr-n",
		strings.Repeat("a", 63) + "_b": strings.Repeat("a", 63)} {
		if got := DockerNetworkName(docker); got != want {
			t.Errorf("%q: want %q, got %q", docker, want, got)
		}
	}
}
