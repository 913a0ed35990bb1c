create type "Role" as enum ('USER', 'EDITOR', 'ADMIN');
create type "OrderStatus" as enum ('open', 'paid', 'sent');
create table "User" (
  "id" text primary key, "email" text not null, "name" text, "role" "Role" not null default 'USER',
  "createdAt" timestamp(3) not null default current_timestamp, "updatedAt" timestamp(3) not null);
create unique index "User_email_key" on "User" ("email");
create table "Post" (
  "id" serial primary key, "title" text not null, "published" boolean not null default false, "authorId" text not null,
  "meta" jsonb, "order" integer, "viewCount" bigint not null default 0,
  constraint "Post_authorId_fkey" foreign key ("authorId") references "User" ("id") on delete restrict on update cascade);
create table "Category" ("id" serial primary key, "name" text not null);
create table "_CategoryToPost" ("A" integer not null references "Category" ("id") on delete cascade on update cascade,
  "B" integer not null references "Post" ("id") on delete cascade on update cascade,
  constraint "_CategoryToPost_AB_pkey" primary key ("A", "B"));
create table "Order" ("shopId" integer not null, "number" integer not null, "status" "OrderStatus" not null default 'open',
  "total" numeric(65,30) not null default 0, constraint "Order_pkey" primary key ("shopId", "number"));
create table "OrderLine" ("shopId" integer not null, "orderNumber" integer not null, "line" integer not null, "sku" text not null,
  constraint "OrderLine_pkey" primary key ("shopId", "orderNumber", "line"),
  constraint "OrderLine_order_fkey" foreign key ("shopId", "orderNumber") references "Order" ("shopId", "number") on delete cascade);
create table "Artist" ("ArtistId" int not null, "Name" varchar(120), constraint "PK_Artist" primary key ("ArtistId"));
create table "Album" ("AlbumId" int not null, "Title" varchar(160) not null, "ArtistId" int not null,
  constraint "PK_Album" primary key ("AlbumId"), constraint "FK_AlbumArtistId" foreign key ("ArtistId") references "Artist" ("ArtistId"));
create index "IFK_AlbumArtistId" on "Album" ("ArtistId");
create table "MediaType" ("MediaTypeId" int not null, "Name" varchar(120), constraint "PK_MediaType" primary key ("MediaTypeId"));
create table "Track" ("TrackId" int not null, "Name" varchar(200) not null, "AlbumId" int, "MediaTypeId" int not null,
  "Milliseconds" int not null, "Bytes" int, "UnitPrice" numeric(10,2) not null, constraint "PK_Track" primary key ("TrackId"),
  constraint "FK_TrackAlbumId" foreign key ("AlbumId") references "Album" ("AlbumId"),
  constraint "FK_TrackMediaTypeId" foreign key ("MediaTypeId") references "MediaType" ("MediaTypeId"));
create table "Playlist" ("PlaylistId" int not null, "Name" varchar(120), constraint "PK_Playlist" primary key ("PlaylistId"));
create table "PlaylistTrack" ("PlaylistId" int not null references "Playlist", "TrackId" int not null references "Track",
  constraint "PK_PlaylistTrack" primary key ("PlaylistId", "TrackId"));
create table "Employee" ("EmployeeId" int not null, "LastName" varchar(20) not null, "ReportsTo" int, "HireDate" timestamp,
  constraint "PK_Employee" primary key ("EmployeeId"),
  constraint "FK_EmployeeReportsTo" foreign key ("ReportsTo") references "Employee" ("EmployeeId"));
create view "Track List" as select t."TrackId", t."Name", a."Title" as "Album Title", t."AlbumId", t."UnitPrice"
  from "Track" t left join "Album" a on a."AlbumId" = t."AlbumId";
create function "lastStatus"() returns "OrderStatus" language sql stable as $$ select 'sent'::"OrderStatus" $$;
create function "setStatus"("to" "OrderStatus") returns table (number integer, status "OrderStatus") language sql stable as
  $$ select 1, "to" $$;
create function "longTracks"("Album") returns setof "Track" language sql stable as
  $$ select * from "Track" where "AlbumId" = $1."AlbumId" and "Milliseconds" > 300000 $$;
create view "Sales" as select count(*) as "lines", max("UnitPrice") as "highest" from "Track";
insert into "Artist" values (1, 'AC/DC'), (2, 'Accept');
insert into "Album" values (1, 'For Those About To Rock', 1), (2, 'Balls to the Wall', 2), (4, 'Let There Be Rock', 1);
insert into "MediaType" values (1, 'MPEG audio file');
insert into "Track" values (1, 'For Those About To Rock', 1, 1, 343719, 11170334, 0.99), (2, 'Balls to the Wall', 2, 1, 342562, 5510424, 0.99),
  (15, 'Go Down', 4, 1, 331180, 10847611, 1.29);
insert into "Playlist" values (1, 'Music'), (2, 'Quiet');
insert into "PlaylistTrack" values (1, 1), (1, 15);
insert into "Employee" values (1, 'Adams', null, '2002-08-14'), (2, 'Edwards', 1, '2002-05-01');
