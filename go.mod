module hooks

go 1.26
