// Rows as JSON, byte by byte what the bench's other limits give (subjects/limit-pages.ts).
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

func appendRestContact(body []byte, c [][]byte) []byte {
	body = append(append(body, `{"id":`...), c[0]...)
	body = append(append(body, `,"public_id":"`...), c[1]...)
	body = append(append(body, `","workspace_id":`...), c[2]...)
	body = append(append(body, `,"uuid":"`...), c[3]...)
	body = append(body, `","anonymous":`...)
	if isTrue(c[4]) {
		body = append(body, '1')
	} else {
		body = append(body, '0')
	}
	body = appendString(append(body, `,"email_address":`...), c[5])
	body = appendString(append(body, `,"first_name":`...), c[6])
	body = appendString(append(body, `,"last_name":`...), c[7])
	body = appendString(append(body, `,"phone_number":`...), c[8])
	body = appendString(append(body, `,"time_zone":`...), c[9])
	body = appendTimestamp(append(body, `,"unsubscribed_at":`...), c[10])
	body = appendTimestamp(append(body, `,"last_notification_email_sent_at":`...), c[11])
	body = appendString(append(body, `,"email_suppression_reason":`...), c[12])
	body = append(body, `,"is_active":`...)
	if isTrue(c[13]) {
		body = append(body, "true"...)
	} else {
		body = append(body, "false"...)
	}
	body = appendString(append(body, `,"fb_url":`...), c[14])
	body = appendString(append(body, `,"twitter_url":`...), c[15])
	body = appendString(append(body, `,"instagram_url":`...), c[16])
	body = appendString(append(body, `,"linkedin_url":`...), c[17])
	body = appendString(append(body, `,"website_url":`...), c[18])
	body = appendTimestamp(append(body, `,"created_at":`...), c[19])
	body = appendTimestamp(append(body, `,"updated_at":`...), c[20])
	body = append(append(body, `,"tags":`...), c[21]...)
	body = appendCompact(append(body, `,"custom_attributes":`...), c[22])
	return append(append(append(body, `,"visits":`...), c[23]...), '}')
}

func isTrue(text []byte) bool {
	return len(text) == 1 && text[0] == 't'
}

// appendCompact appends jsonb's text without its spaces.
func appendCompact(body, text []byte) []byte {
	if len(text) == 2 {
		return append(body, text...)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return append(body, "null"...)
	}
	return append(body, compact.Bytes()...)
}

// appendString appends a JSON string, escaped as JSON.stringify does it; nil is null.
func appendString(body, text []byte) []byte {
	if text == nil {
		return append(body, "null"...)
	}
	body = append(body, '"')
	start := 0
	for at, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		body = append(body, text[start:at]...)
		start = at + 1
		if escaped := strings.IndexByte("\"\\\b\f\n\r\t", c); escaped >= 0 {
			body = append(body, '\\', `"\bfnrt`[escaped])
		} else {
			body = append(body, '\\', 'u', '0', '0', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		}
	}
	return append(append(body, text[start:]...), '"')
}

// appendTimestamp appends "2024-05-06 07:08:09.12+00" in ISO 8601 with milliseconds. The session's time zone is UTC.
func appendTimestamp(body, text []byte) []byte {
	if text == nil {
		return append(body, "null"...)
	}
	body = append(append(body, '"'), text[:10]...)
	body = append(append(body, 'T'), text[11:19]...)
	fraction := [4]byte{'.', '0', '0', '0'}
	if len(text) > 22 {
		copy(fraction[:], text[19:len(text)-3])
	}
	return append(append(body, fraction[:]...), 'Z', '"')
}

// A connection of contacts that is being written.
type connection struct {
	body  []byte
	count int
	last  []byte
}

// add writes an edge. Of what comes behind a full page it only notes that there is more.
func (page *connection) add(c [][]byte) {
	page.count++
	if page.count > pageSize {
		return
	}
	if page.count > 1 {
		page.body = append(page.body, ',')
	}
	page.last = appendBase64(page.last[:0], base64.RawURLEncoding, "contacts:", c[0])
	body := append(append(page.body, `{"cursor":"`...), page.last...)
	body = appendBase64(append(body, `","node":{"id":"`...), base64.StdEncoding, "Contact:", c[0])
	body = append(append(body, `","databaseId":`...), c[0]...)
	body = append(append(body, `,"publicId":"`...), c[1]...)
	body = appendString(append(body, `","emailAddress":`...), c[2])
	body = appendString(append(body, `,"firstName":`...), c[3])
	body = appendString(append(body, `,"lastName":`...), c[4])
	body = appendString(append(body, `,"phoneNumber":`...), c[5])
	body = appendString(append(body, `,"timeZone":`...), c[6])
	body = appendTimestamp(append(body, `,"createdAt":`...), c[7])
	page.body = append(appendTimestamp(append(body, `,"updatedAt":`...), c[8]), '}', '}')
}

func (page *connection) end() []byte {
	body := append(page.body, `],"pageInfo":{"hasNextPage":`...)
	if page.count > pageSize {
		body = append(body, "true"...)
	} else {
		body = append(body, "false"...)
	}
	body = appendString(append(body, `,"endCursor":`...), page.last)
	page.body = append(body, "}}}}}"...)
	return page.body
}

func appendBase64(body []byte, encoding *base64.Encoding, kind string, id []byte) []byte {
	var plain, encoded [64]byte
	length := copy(plain[copy(plain[:], kind):], id) + len(kind)
	encoding.Encode(encoded[:], plain[:length])
	return append(body, encoded[:encoding.EncodedLen(length)]...)
}

// parseVariables reads the workspace and the position from the one document of the bench.
func parseVariables(text []byte) (workspace, after string, err error) {
	var body struct {
		Variables struct {
			Workspace json.Number `json:"workspace"`
			After     *string     `json:"after"`
		} `json:"variables"`
	}
	if err = json.Unmarshal(text, &body); err != nil {
		return "", "", err
	}
	if body.Variables.After == nil {
		return body.Variables.Workspace.String(), "0", nil
	}
	cursor, err := base64.RawURLEncoding.DecodeString(*body.Variables.After)
	return body.Variables.Workspace.String(), strings.TrimPrefix(string(cursor), "contacts:"), err
}
