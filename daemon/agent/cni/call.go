// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/containernetworking/cni/pkg/ns"
	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"

	"github.com/contiv/contiv/cni/wire"
)

// call answers a plugin: its output, and its exit code. A plugin that is killed does not stop the operation half-way.
func (s *Server) call(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callTimeout)
	defer cancel()
	var c wire.Call
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxCall))
	if err == nil {
		c, err = wire.DecodeCall(body)
	}
	if err != nil {
		answer(w, "", nil, types.NewError(types.ErrIOFailure, err.Error(), ""))
		return
	}
	v, out, refused := s.run(ctx, readEnvironment(c.Environ), c.Stdin)
	answer(w, v, out, refused)
}

// run carries out a command. It returns the version of the network configuration, "" if unknown, and the output.
func (s *Server) run(ctx context.Context, env environment, stdin []byte) (v string, out []byte, refused *types.Error) {
	var text bytes.Buffer
	if env["CNI_COMMAND"] == "VERSION" {
		if err := version.All.Encode(&text); err != nil {
			return "", nil, types.NewError(types.ErrIOFailure, err.Error(), "")
		}
		return "", text.Bytes(), nil
	}
	if v, refused = check(env, stdin); refused != nil {
		return v, nil, refused
	}
	command := env["CNI_COMMAND"]
	if (command == "ADD" || command == "DEL") && !overridden(env) {
		host, err := ns.CheckNetNS(env["CNI_NETNS"])
		if err != nil {
			return v, nil, err
		}
		if host {
			return v, nil, types.NewError(types.ErrInvalidNetNS, "plugin's netns and netns from CNI_NETNS should not be the same", "")
		}
	}
	ctx, end := s.begin(ctx, env)
	defer func() {
		if refused != nil {
			end(refused)
			return
		}
		end(nil)
	}()
	a := s.perform(ctx, operations()[command].path, request{ContainerID: env["CNI_CONTAINERID"], Netns: env["CNI_NETNS"],
		IfName: env["CNI_IFNAME"], Args: env["CNI_ARGS"], Config: stdin})
	if a.Error != nil || a.Result == nil {
		return v, nil, a.Error
	}
	if err := printResult(&text, a.Result, v); err != nil {
		return v, nil, types.NewError(types.ErrInternal, err.Error(), "")
	}
	return v, text.Bytes(), nil
}

// overridden reports whether the runtime requires the container to have its own namespace, as a sandbox of a virtual machine may.
func overridden(env environment) bool {
	v := env["CNI_NETNS_OVERRIDE"]
	return v == "1" || strings.EqualFold(v, "true")
}

func printResult(out io.Writer, r *types100.Result, v string) error {
	as, err := r.GetAsVersion(v)
	if err != nil {
		return err
	}
	return as.PrintTo(out)
}

// refusal is an error in the format of the specification.
type refusal struct {
	CNIVersion string `json:"cniVersion,omitempty"`
	types.Error
}

func answer(w http.ResponseWriter, v string, out []byte, refused *types.Error) {
	exit := 0
	if refused != nil {
		exit = 1
		text, err := json.MarshalIndent(refusal{v, *refused}, "", "    ")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		out = append(text, '\n')
	}
	w.Header().Set(wire.HeaderExit, strconv.Itoa(exit))
	w.Header().Set("Content-Length", strconv.Itoa(len(out)))
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(out) // the plugin may be gone
}

// perform carries out the request at a path, and logs it.
func (s *Server) perform(ctx context.Context, path string, req request) (a legacyAnswer) {
	begin := time.Now()
	conf, err := parseConf(req.Config)
	if err != nil {
		a.Error = types.NewError(types.ErrDecodingFailure, err.Error(), "")
	} else if a.Result, err = s.handlers()[path](ctx, req, conf); err != nil {
		a.Error = cniError(err)
	}
	if a.Error != nil {
		s.Log.Warn("CNI", "path", path, "container", req.ContainerID, "interface", req.IfName,
			"code", a.Error.Code, "error", a.Error.Msg, "duration", time.Since(begin))
	} else {
		s.Log.Debug("CNI", "path", path, "container", req.ContainerID, "interface", req.IfName, "duration", time.Since(begin))
	}
	return a
}
