// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/http"
	"net/url"

	"github.com/contiv/contiv/api/model"
)

// Join makes a host a member of the cluster, by a token.
func (c *Client) Join(ctx context.Context, request model.JoinRequest) (model.JoinAnswer, error) {
	var out model.JoinAnswer
	_, err := c.Post(ctx, "/api/v1/join", request, &out)
	return out, err
}

// Depart removes a host from the cluster. Its agent must have ended before.
func (c *Client) Depart(ctx context.Context, request model.DepartRequest) (model.Departed, error) {
	var out model.Departed
	_, err := c.Post(ctx, "/api/v1/leave", request, &out)
	return out, err
}

// HostEndpoints returns the endpoints of containers on a host.
func (c *Client) HostEndpoints(ctx context.Context, host string) (model.HostEndpoints, error) {
	var out model.HostEndpoints
	return out, c.Raw(ctx, "/api/v1/leave?host="+url.QueryEscape(host), &out)
}

// Drain makes a host accept no new endpoints for 15 seconds, or ends that. It returns the endpoints of containers on the host.
func (c *Client) Drain(ctx context.Context, request model.DrainRequest) (model.HostEndpoints, error) {
	var out model.HostEndpoints
	_, err := c.Post(ctx, "/api/v1/drain", request, &out)
	return out, err
}

// JoinTokens returns the tokens with which hosts may join.
func (c *Client) JoinTokens(ctx context.Context) ([]model.JoinTokenInfo, error) {
	var out []model.JoinTokenInfo
	return out, c.Raw(ctx, "/api/v1/tokens", &out)
}

// MakeJoinToken creates one. Its text is returned only once.
func (c *Client) MakeJoinToken(ctx context.Context, request model.JoinTokenRequest) (model.JoinToken, error) {
	var out model.JoinToken
	_, err := c.Post(ctx, "/api/v1/tokens", request, &out)
	return out, err
}

// RemoveJoinToken revokes one.
func (c *Client) RemoveJoinToken(ctx context.Context, id string) error {
	_, err := c.call(ctx, http.MethodDelete, "/api/v1/tokens/"+url.PathEscape(id), nil, nil)
	return err
}

// Certificates returns those that the cluster's CA has issued.
func (c *Client) Certificates(ctx context.Context) ([]model.CertificateInfo, error) {
	var out []model.CertificateInfo
	return out, c.Raw(ctx, "/api/v1/certificates", &out)
}

// RecordCertificates registers certificates that were issued outside of netmaster, by the key of the CA.
func (c *Client) RecordCertificates(ctx context.Context, request model.RecordRequest) error {
	_, err := c.Post(ctx, "/api/v1/certificates", request, nil)
	return err
}

// RenewCertificate requests a certificate of the requester, for another key.
func (c *Client) RenewCertificate(ctx context.Context, request model.RenewRequest) (model.RenewAnswer, error) {
	var out model.RenewAnswer
	_, err := c.Post(ctx, "/api/v1/certificates/renew", request, &out)
	return out, err
}

// RenewEndedCertificate requests a certificate of the agent whose certificate has expired.
func (c *Client) RenewEndedCertificate(ctx context.Context, request model.RenewEndedRequest) (model.RenewAnswer, error) {
	var out model.RenewAnswer
	_, err := c.Post(ctx, "/api/v1/certificates/renew-ended", request, &out)
	return out, err
}

// Readdress changes the address of a host, as far as the request asks for it.
func (c *Client) Readdress(ctx context.Context, request model.ReaddressRequest) (model.ReaddressAnswer, error) {
	var out model.ReaddressAnswer
	_, err := c.Post(ctx, "/api/v1/readdress", request, &out)
	return out, err
}

// Rotation returns the progress of the replacement of the cluster's authority.
func (c *Client) Rotation(ctx context.Context) (model.Rotation, error) {
	var out model.Rotation
	return out, c.Raw(ctx, "/api/v1/authority", &out)
}

// RotateAuthority continues the replacement of the cluster's authority with a phase.
func (c *Client) RotateAuthority(ctx context.Context, request model.RotateRequest) (model.Rotation, error) {
	var out model.Rotation
	_, err := c.Post(ctx, "/api/v1/authority", request, &out)
	return out, err
}

// RevokeCertificates revokes certificates, and returns their serials.
func (c *Client) RevokeCertificates(ctx context.Context, request model.RevokeRequest) ([]string, error) {
	var out []string
	_, err := c.Post(ctx, "/api/v1/certificates/revoke", request, &out)
	return out, err
}
