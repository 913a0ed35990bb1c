# Serves the catalogue at /api/ behind Varnish 7. Run varnishd with -p http_range_support=off: a Range counts rows.
vcl 4.1;

backend default {
  .host = "127.0.0.1";
  .port = "3000";
}

sub vcl_recv {
  if (req.url ~ "^/api/") {
    set req.url = regsub(req.url, "^/api", "");
    set req.http.X-Forwarded-Prefix = "/api";
  }
  # On loopback, the service accepts only the names of this machine and of --allowed-hosts.
  set req.http.X-Forwarded-Host = req.http.Host;
  set req.http.Host = "localhost";
  if (req.http.Range) {
    return (pass);
  }
}

sub vcl_backend_response {
  # Varnish rejects a Content-Range that counts rows, so another header carries it.
  if (beresp.http.Content-Range) {
    set beresp.http.X-Content-Range = beresp.http.Content-Range;
    unset beresp.http.Content-Range;
  }
  # Varnish stores the response and revalidates it each time: the service returns 304 if nothing has changed.
  if (beresp.http.Cache-Control == "no-cache" && beresp.http.ETag && !bereq.uncacheable) {
    set beresp.ttl = 1ms;
    set beresp.grace = 0s;
    set beresp.keep = 10m;
    return (deliver);
  }
}

sub vcl_deliver {
  if (resp.http.X-Content-Range) {
    set resp.http.Content-Range = resp.http.X-Content-Range;
    unset resp.http.X-Content-Range;
  }
}
