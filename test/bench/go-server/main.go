// The same pages from a hand-written Go server: net/http and pgx, one prepared statement a request, whose rows come as text and are joined
// into JSON by hand. No authentication, no checks, no logging. It is told its statements, and what each connection begins with, by
// the environment, so that they are those of the bench's other limits.
package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v4"
	"github.com/jackc/pgx/v4/pgxpool"
)

const pageSize = 20

var pool *pgxpool.Pool

// Buffers for the bodies of answers, used again.
var buffers = sync.Pool{New: func() any {
	buffer := make([]byte, 0, 64<<10)
	return &buffer
}}

func main() {
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	connections, _ := strconv.Atoi(os.Getenv("POOL_SIZE"))
	config.MaxConns = int32(connections)
	config.AfterConnect = func(ctx context.Context, connection *pgx.Conn) error {
		if _, err := connection.PgConn().Exec(ctx, os.Getenv("SESSION_SETTINGS")).ReadAll(); err != nil {
			return err
		}
		for _, name := range []string{"rest", "graphql"} {
			if _, err := connection.Prepare(ctx, name, os.Getenv(strings.ToUpper(name)+"_SQL")); err != nil {
				return err
			}
		}
		return nil
	}
	if pool, err = pgxpool.ConnectConfig(context.Background(), config); err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/api/v2/workspaces/", answerRest)
	http.HandleFunc("/graphql", answerGraphql)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// eachRow runs a prepared statement, and hands over each row as PostgreSQL's text; nil is null.
func eachRow(ctx context.Context, name string, values [][]byte, onRow func(row [][]byte)) error {
	connection, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer connection.Release()
	result := connection.Conn().PgConn().ExecPrepared(ctx, name, values, nil, nil)
	for result.NextRow() {
		onRow(result.Values())
	}
	_, err = result.Close()
	return err
}

func answerRest(response http.ResponseWriter, request *http.Request) {
	workspace := strings.TrimSuffix(strings.TrimPrefix(request.URL.Path, "/api/v2/workspaces/"), "/contacts")
	query := request.URL.Query()
	size, after := query.Get("per_page"), query.Get("after")
	if after == "" {
		after = "0"
	}
	buffer := buffers.Get().(*[]byte)
	body, lastID := append((*buffer)[:0], '['), after
	values := [][]byte{[]byte(workspace), []byte(after), []byte(size)}
	err := eachRow(request.Context(), "rest", values, func(row [][]byte) {
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = appendRestContact(body, row)
		lastID = string(row[0])
	})
	body = append(body, ']')
	if err == nil {
		next := "http://localhost/api/v2/workspaces/" + workspace + "/contacts?per_page=" + size + "&after=" + lastID
		response.Header().Set("Pagination-Next", lastID)
		response.Header().Set("Link", "<"+next+">; rel=\"next\"")
	}
	send(response, "application/json", body, err)
	*buffer = body
	buffers.Put(buffer)
}

func answerGraphql(response http.ResponseWriter, request *http.Request) {
	text, err := io.ReadAll(request.Body)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	workspace, after, err := parseVariables(text)
	if err != nil {
		http.Error(response, err.Error(), http.StatusBadRequest)
		return
	}
	buffer := buffers.Get().(*[]byte)
	page := connection{body: append((*buffer)[:0], `{"data":{"workspace":{"contacts":{"edges":[`...)}
	values := [][]byte{[]byte(workspace), []byte(after), []byte(strconv.Itoa(pageSize + 1))}
	err = eachRow(request.Context(), "graphql", values, page.add)
	send(response, "application/graphql-response+json; charset=utf-8", page.end(), err)
	*buffer = page.body
	buffers.Put(buffer)
}

func send(response http.ResponseWriter, contentType string, body []byte, err error) {
	if err != nil {
		http.Error(response, err.Error(), http.StatusInternalServerError)
		return
	}
	header := response.Header()
	header.Set("Content-Type", contentType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = response.Write(body)
}
