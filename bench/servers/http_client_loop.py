"""What Python's own HTTP client reaches: python3 http_client_loop.py PORT SECONDS prints the requests a second of one connection."""

import http.client
import sys
import time

port, seconds = int(sys.argv[1]), float(sys.argv[2])
connection = http.client.HTTPConnection("127.0.0.1", port)
headers = {"content-type": "application/json"}
count = 0
start = time.perf_counter()
while time.perf_counter() - start < seconds:
    connection.request("POST", "/", body="{}", headers=headers)
    connection.getresponse().read()
    count += 1
print(count / (time.perf_counter() - start))
