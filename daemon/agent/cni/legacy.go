// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"
)

// Paths of plugins of earlier builds, which send a request to one each; they check and print themselves. All are POST.
const (
	pathAdd    = "/cni/add"
	pathDel    = "/cni/del"
	pathCheck  = "/cni/check"
	pathStatus = "/cni/status"
	pathGC     = "/cni/gc"
)

// request is one operation.
type request struct {
	ContainerID string          `json:"containerID,omitempty"`
	Netns       string          `json:"netns,omitempty"`
	IfName      string          `json:"ifName,omitempty"`
	Args        string          `json:"args,omitempty"` // CNI_ARGS, "K=V;K=V"
	Config      json.RawMessage `json:"config,omitempty"`
}

// legacyAnswer is the answer to plugins of earlier builds: a Result of an ADD, an Error, or nothing for success.
type legacyAnswer struct {
	Result *types100.Result `json:"result,omitempty"`
	Error  *types.Error     `json:"error,omitempty"`
}

func (s *Server) handlers() map[string]func(context.Context, request, *Conf) (*types100.Result, error) {
	return map[string]func(context.Context, request, *Conf) (*types100.Result, error){
		pathAdd: s.add, pathDel: s.del, pathCheck: s.check, pathStatus: s.status, pathGC: s.gc,
	}
}

// legacy answers a plugin of an earlier build.
func (s *Server) legacy(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callTimeout)
	defer cancel()
	var req request
	if err := decode(r.Body, &req); err != nil {
		reply(w, http.StatusOK, legacyAnswer{Error: types.NewError(types.ErrDecodingFailure, err.Error(), "")})
		return
	}
	reply(w, http.StatusOK, s.perform(ctx, r.URL.Path, req))
}
