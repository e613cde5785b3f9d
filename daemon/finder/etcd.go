// SPDX-License-Identifier: Apache-2.0

package finder

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// etcd queries an etcd over its gRPC API. A gRPC call is an HTTP/2 request, so listing a few keys does not require etcd's client.
type etcd struct {
	http           *http.Client
	user, password string
}

// Fields of etcd's messages (api/etcdserverpb/rpc.proto, api/mvccpb/kv.proto).
const (
	rangeKey, rangeEnd           = 1, 2 // RangeRequest
	rangeKVs                     = 2    // RangeResponse
	kvValue                      = 5    // KeyValue
	authName, authPassword       = 1, 2 // AuthenticateRequest
	authToken                    = 2    // AuthenticateResponse
	frameHeader                  = 5    // bytes before a message: whether it is compressed, and its length
	rangeCall, authenticateCall  = "/etcdserverpb.KV/Range", "/etcdserverpb.Auth/Authenticate"
	statusTrailer, messageHeader = "Grpc-Status", "Grpc-Message"
)

func (e *etcd) values(ctx context.Context, url string) (out [][]byte, err error) {
	defer e.http.CloseIdleConnections()
	url = strings.TrimSuffix(url, "/")
	token := ""
	if e.user != "" {
		answer, err := e.call(ctx, url+authenticateCall, "", message(authName, e.user, authPassword, e.password))
		if err != nil {
			return nil, err
		}
		tokens, err := fields(answer, authToken)
		if err != nil {
			return nil, err
		}
		if len(tokens) != 1 {
			return nil, fmt.Errorf("the answer to --store-user: got %d tokens, want one", len(tokens))
		}
		token = string(tokens[0])
	}
	end := prefix[:len(prefix)-1] + string(prefix[len(prefix)-1]+1)
	answer, err := e.call(ctx, url+rangeCall, token, message(rangeKey, prefix, rangeEnd, end))
	if err != nil {
		return nil, err
	}
	items, err := fields(answer, rangeKVs)
	if err != nil {
		return nil, err
	}
	for _, item := range items {
		values, err := fields(item, kvValue)
		if err != nil {
			return nil, err
		}
		out = append(out, values...)
	}
	return out, nil
}

// call makes one gRPC call, which sends and receives one message.
func (e *etcd) call(ctx context.Context, url, token string, request []byte) ([]byte, error) {
	body := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(request))), request...)
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	q.Header.Set("Content-Type", "application/grpc")
	q.Header.Set("TE", "trailers")
	if token != "" {
		q.Header.Set("Token", token)
	}
	answer, err := e.http.Do(q)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, answerMax))
	if err != nil {
		return nil, err
	}
	status := cmp.Or(answer.Trailer.Get(statusTrailer), answer.Header.Get(statusTrailer))
	if answer.StatusCode != http.StatusOK || status != "0" {
		return nil, fmt.Errorf("the request for netmasters: got %s, status %q (%s), want status 0", answer.Status, status,
			cmp.Or(answer.Trailer.Get(messageHeader), answer.Header.Get(messageHeader), "no reason"))
	}
	return unframe(text)
}

// unframe returns the one message of an answer.
func unframe(text []byte) ([]byte, error) {
	if len(text) < frameHeader || text[0] != 0 || uint64(binary.BigEndian.Uint32(text[1:frameHeader])) != uint64(len(text)-frameHeader) {
		return nil, fmt.Errorf("the answer of etcd: got %d bytes, want one message that is not compressed", len(text))
	}
	return text[frameHeader:], nil
}

// message encodes a message of two texts.
func message(first protowire.Number, a string, second protowire.Number, b string) (out []byte) {
	out = protowire.AppendString(protowire.AppendTag(out, first, protowire.BytesType), a)
	return protowire.AppendString(protowire.AppendTag(out, second, protowire.BytesType), b)
}

// errMessage is the error of fields for a malformed message.
var errMessage = errors.New("the answer of etcd is not a message of its API")

// fields returns the values of a field of bytes, as often as a message has it.
func fields(text []byte, wanted protowire.Number) (out [][]byte, err error) {
	for len(text) > 0 {
		number, kind, n := protowire.ConsumeTag(text)
		if n < 0 {
			return nil, errMessage
		}
		text = text[n:]
		if number == wanted && kind == protowire.BytesType {
			value, n := protowire.ConsumeBytes(text)
			if n < 0 {
				return nil, errMessage
			}
			out, text = append(out, value), text[n:]
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, text); n < 0 {
			return nil, errMessage
		}
		text = text[n:]
	}
	return out, nil
}
