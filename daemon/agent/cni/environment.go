// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/containernetworking/cni/pkg/types"
	"github.com/containernetworking/cni/pkg/utils"
	"github.com/containernetworking/cni/pkg/version"
)

// environment has the environment variables of the plugin.
type environment map[string]string

func readEnvironment(vars []string) environment {
	env := environment{}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	return env
}

// operation has the requirements of a command.
type operation struct {
	since    string   // lowest version of the network configuration; "": any
	required []string // variables in addition to CNI_COMMAND
	path     string   // the path used by plugins of earlier builds
}

// operations are the commands of the specification except VERSION, which needs nothing.
func operations() map[string]operation {
	of := []string{"CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_PATH"}
	return map[string]operation{
		"ADD":    {required: of, path: pathAdd},
		"CHECK":  {since: "0.4.0", required: of, path: pathCheck},
		"DEL":    {required: []string{"CNI_CONTAINERID", "CNI_IFNAME", "CNI_PATH"}, path: pathDel},
		"GC":     {since: "1.1.0", required: []string{"CNI_PATH"}, path: pathGC},
		"STATUS": {since: "1.1.0", required: []string{"CNI_PATH"}, path: pathStatus},
	}
}

// check rejects what package skel of the CNI library rejects, in the same order, with the same codes and texts; the library itself checks
// names and versions. It returns the version of the network configuration.
func check(env environment, stdin []byte) (string, *types.Error) {
	command := env["CNI_COMMAND"]
	op, known := operations()[command]
	if err := checkVariables(env, op); err != nil {
		return "", err
	}
	if err := checkName(stdin); err != nil {
		return "", err
	}
	if !known {
		return "", types.NewError(types.ErrInvalidEnvironmentVariables, fmt.Sprintf("unknown CNI_COMMAND: %v", command), "")
	}
	v, err := new(version.ConfigDecoder).Decode(stdin)
	if err != nil {
		return "", types.NewError(types.ErrDecodingFailure, err.Error(), "")
	}
	if op.since != "" {
		allowed, err := version.GreaterThanOrEqualTo(v, op.since)
		if err != nil {
			return "", types.NewError(types.ErrDecodingFailure, err.Error(), "")
		}
		if !allowed {
			return "", types.NewError(types.ErrIncompatibleCNIVersion, "config version does not allow "+command, "")
		}
	}
	if err := new(version.Reconciler).Check(v, version.All); err != nil {
		return "", types.NewError(types.ErrIncompatibleCNIVersion, "incompatible CNI versions", err.Details())
	}
	return v, nil
}

func checkVariables(env environment, op operation) *types.Error {
	var missing []string
	for _, name := range []string{"CNI_COMMAND", "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_PATH"} {
		needed := name == "CNI_COMMAND" || slices.Contains(op.required, name)
		switch value := env[name]; {
		case needed && value == "":
			missing = append(missing, name)
		case needed && name == "CNI_CONTAINERID":
			if err := utils.ValidateContainerID(value); err != nil {
				return err
			}
		case needed && name == "CNI_IFNAME":
			if err := utils.ValidateInterfaceName(value); err != nil {
				return err
			}
		}
	}
	if len(missing) > 0 {
		return types.NewError(types.ErrInvalidEnvironmentVariables, fmt.Sprintf("required env variables [%s] missing", strings.Join(missing, ",")), "")
	}
	return nil
}

func checkName(stdin []byte) *types.Error {
	var conf struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal(stdin, &conf); err != nil {
		return types.NewError(types.ErrDecodingFailure, fmt.Sprintf("error unmarshall network config: %v", err), "")
	}
	if conf.Name == "" {
		return types.NewError(types.ErrInvalidNetworkConfig, "missing network name", "")
	}
	if err := utils.ValidateNetworkName(conf.Name); err != nil {
		return err
	}
	return nil
}
